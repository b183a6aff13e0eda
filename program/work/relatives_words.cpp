#include <harmonium/program/work/relatives_words.hpp>

#include <numeric>

#include <fmt/format.h>

#include <harmonium/framework/data/sources.hpp>
#include <harmonium/program/work/command_options.hpp>
#include <harmonium/program/work/of_type.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

std::vector<std::string> relatives_words(const Value& data, const Dataset& train) {
  constexpr double large = 0.5, few = 0.05;
  if (!is_of_type(data, "fasta")) return {};
  const double reweight = options_among<FastaDataOptions>(data, {"reweight"}).reweight;
  if (!(reweight > 0)) return {};
  // A weight is 1 / (number of relatives) and stays so.
  const std::vector<double> weights = train.weights();
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<std::string> words{
      fmt::format("reweight = {:g}: {} training sequences count as {} (M_eff, the sum of their weights).", reweight,
                  train.rows(), total < 100 ? fmt::format("{:.3g}", total) : fmt::format("{:.0f}", total))};
  if (reweight > large || total < few * static_cast<double>(train.rows()))
    words.push_back(fmt::format(
        "data.reweight is the share of sites that differ: at {:g}, sequences that are alike at more than {:.3g} % of "
        "the sites count as relatives. {}",
        reweight, 100 * (1 - reweight),
        reweight > large ? "80 % identity is reweight = 0.2."
                         : "A smaller one tells more of them apart (80 % identity is reweight = 0.2)."));
  return words;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
