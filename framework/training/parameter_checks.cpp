#include <harmonium/framework/training/parameter_checks.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index entries_a_task = 1 << 16;

}  // namespace

double squared_norm(const ParameterLayout& layout, std::span<const Real> g, const Executor& executor) {
  double total = 0.0;
  for (const ParameterBlock& b : layout.blocks()) {
    const Real* x = g.data() + b.offset;
    double sum =
        executor.sum_in_order(b.uniform ? free_entries(b) : b.size(), entries_a_task, [&](Index begin, Index end) {
          // Partial sums of a few hundred entries in Real, which vectorizes; their sum in double.
          constexpr Index lanes = 32, chunk = lanes * 16;
          double part = 0.0;
          for (Index i = begin; i < end; i += chunk) {
            const Index last = std::min(end, i + chunk);
            std::array<Real, lanes> sums{};
            Index k = i;
            for (; k + lanes <= last; k += lanes)
              for (Index j = 0; j < lanes; ++j) sums[j] += x[k + j] * x[k + j];
            for (; k < last; ++k) sums[0] += x[k] * x[k];
            for (const Real s : sums) part += static_cast<double>(s);
          }
          return part;
        });
    if (b.symmetry == Symmetry::symmetric_zero_diagonal) sum *= 0.5;
    total += sum;
  }
  return total;
}

Index first_beyond(std::span<const Real> theta, double limit, const Executor& executor) {
  const auto most = static_cast<Real>(std::min(limit, static_cast<double>(std::numeric_limits<Real>::max())));
  std::vector<Index> found((theta.size() + entries_a_task - 1) / entries_a_task, theta.size());
  executor.for_each_piece(theta.size(), entries_a_task, [&](Index begin, Index end) {
    // Counting without a branch vectorizes; the place is looked for only when there is one.
    std::uint32_t beyond = 0;
    const std::span<const Real> part = theta.subspan(begin, end - begin);
    for (const Real x : part) beyond |= std::abs(x) <= most ? 0u : 1u;
    if (!beyond) return;
    const auto at = std::ranges::find_if_not(part, [&](Real x) { return std::abs(x) <= most; });
    found[begin / entries_a_task] = begin + static_cast<Index>(at - part.begin());
  });
  const auto first = std::ranges::find_if(found, [&](Index i) { return i < theta.size(); });
  return first == found.end() ? theta.size() : *first;
}

std::string place_of(const ParameterLayout& layout, Index i) {
  for (const ParameterBlock& b : layout.blocks()) {
    if (i < b.offset || i >= b.offset + b.size()) continue;
    const Index at = i - b.offset;
    return b.rank() == 1 ? fmt::format("{}[{}]", b.name, at)
                         : fmt::format("{}[{}, {}]", b.name, at / b.cols, at % b.cols);
  }
  return "a parameter";
}

std::optional<std::string> beyond(const ParameterLayout& layout, std::span<const Real> theta, double limit,
                                  const Executor& executor) {
  const Index at = first_beyond(theta, limit, executor);
  if (at == theta.size()) return {};
  return fmt::format("{} is {:.4g}", place_of(layout, at), static_cast<double>(theta[at]));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
