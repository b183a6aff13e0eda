#pragma once

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/execution/part_of_work.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Calls work(one) with the request at each inverse temperature of `betas`, which descend, from the hottest. Each is shown on `whole` as
/// its part of the work.
template <class Work>
void at_each_temperature(const EvaluateRequest& request, const std::vector<double>& betas, Display& whole,
                         const Work& work) {
  const auto n = static_cast<double>(betas.size());
  for (std::size_t k = 0; k < betas.size(); ++k) {
    const auto done = static_cast<double>(k);
    EvaluateRequest one = request;
    one.beta = betas[betas.size() - 1 - k];
    one.num_betas = betas.size();
    PartOfWork part(&whole, done / n, (done + 1.0) / n, fmt::format("beta = {:g}", one.beta));
    if (request.display) one.display = &part;
    work(one);
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
