#include <algorithm>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/execution/part_of_work.hpp>
#include <harmonium/framework/execution/told_once.hpp>
#include <harmonium/program/work/betas.hpp>
#include <harmonium/program/work/commands.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

std::vector<std::pair<double, Evaluation>> evaluate_along(const EvaluateRequest& request, const Registries& builtin) {
  const char* option = request.listed.option();
  if (!request.split.empty())
    throw ConfigError(fmt::format(
        "--split {}: {} takes the rows of --data, or none. Give --beta, or leave --split out.", request.split, option));
  if (!request.rows.empty())
    throw ConfigError(
        fmt::format("--rows {}: it has the figures at one temperature, and {} names several. Give --beta, or leave "
                    "--rows out.",
                    request.rows, option));
  std::vector<double> betas = read_betas(request.listed);
  std::ranges::reverse(betas);
  std::vector<std::pair<double, Evaluation>> all;
  const auto n = static_cast<double>(betas.size());
  ToldOnce once(request.display);
  for (const double beta : betas) {
    const auto done = static_cast<double>(all.size());
    PartOfWork part(&once, done / n, (done + 1.0) / n, fmt::format("beta = {:g}", beta));
    EvaluateRequest one = request;
    one.beta = beta;
    one.num_betas = betas.size();
    one.own_data = false;
    if (request.display) one.display = &part;
    all.emplace_back(beta, evaluate(one, builtin).whole);
    if (request.beta_done) request.beta_done(beta, all.back().second);
  }
  if (request.display) request.display->finish();
  return all;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
