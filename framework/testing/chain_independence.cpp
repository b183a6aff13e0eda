#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include <boost/math/distributions/chi_squared.hpp>
#include <fmt/format.h>

#include <harmonium/framework/testing/chi_square.hpp>
#include <harmonium/framework/testing/differences.hpp>
#include <harmonium/framework/testing/law.hpp>
#include <harmonium/framework/testing/reference_rows.hpp>
#include <harmonium/framework/testing/sampler_checks.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {
namespace {

/// Standard deviations that a mean of independent numbers exceeds with probability 1e-9.
constexpr double far_out_of_groups = 6.1;

/// Independent rows for the check, from the law itself where it can be drawn: what a step has for all rows alike
/// (the order of a random scan) makes rows that come from elsewhere depend on each other.
class IndependentRows {
 public:
  explicit IndependentRows(const SamplerSubject& s) : layout_(s.layout) {
    if (s.rungs > 1) return;
    if (s.enumerable()) {
      calls_ = 256;
      space_.emplace(layout_);
      drawing_.emplace(law_of(model_energies(s.model, *space_)));
    } else if (layout_.columns(layout_.all()) <= ReferenceRows::most_columns) {
      batch_ = 128;
      calls_ = 32;
      reference_.emplace(s.model, 1.0, HeldMask(), random_rows(layout_, batch_ * calls_, 95), 96);
      reference_->sweep(ReferenceRows::burn_ins[0]);
    }
  }
  /// Rows of a call, and calls.
  Index batch() const { return batch_; }
  Index calls() const { return calls_; }
  /// Puts rows into `chains`, other ones in each call; leaves them as they are where the law is not at hand.
  void put(Index call, Chains& chains) {
    if (space_) {
      std::vector<std::size_t> states(batch_);
      for (std::size_t& s : states) s = (*drawing_)(random_);
      space_->put(states, chains);
    } else if (reference_) {
      copy_rows(layout_, reference_->rows(), call * batch_, chains);
    }
  }

 private:
  const Layout& layout_;
  Index batch_ = 512, calls_ = 64;
  std::optional<StateSpace> space_;
  std::optional<Drawing> drawing_;
  std::optional<ReferenceRows> reference_;
  std::mt19937_64 random_{97};
};

/// What chains are seen by: a number of each.
struct SeenNumbers {
  const char* name;
  std::vector<double> values;
};

/// The sum of the units, and the energy, of each logical chain after one transition from independent rows.
std::vector<SeenNumbers> numbers_of_chains(const SamplerSubject& s, IndependentRows& rows) {
  const std::unique_ptr<Sampler> sampler = s.adapted();
  std::vector<double> sums, energies;
  for (Index call = 0; call < rows.calls(); ++call) {
    Chains chains = s.start(rows.batch(), 1000 + call);
    rows.put(call, chains);
    // Whatever turns with the step, such as which rungs are exchanged, is the same in all calls.
    chains.set_step((400 + call) * 2520);
    s.advance(*sampler, chains, 1);
    std::vector<double> energy(chains.size());
    s.model.energy(chains, energy);
    for (Index i = 0; i < rows.batch(); ++i) {
      double sum = 0.0, own = 0.0;
      for (Index r = i * s.rungs; r < (i + 1) * s.rungs; ++r) {
        own += energy[r];
        for (const LayerId l : s.layout.ids()) {
          const ConstMatrixRef x = chains.read(l);
          for (Index c = 0; c < x.cols; ++c) sum += static_cast<double>(x(r, c));
        }
      }
      sums.push_back(sum);
      energies.push_back(own);
    }
  }
  return {{"the sum of a chain's units", std::move(sums)}, {"a chain's energy", std::move(energies)}};
}

/// The mean of T over groups of neighbors, and the limit that independent numbers do not exceed.
struct GroupVariance {
  double ratio, limit;
};

GroupVariance variance_between_groups(const std::vector<double>& f, double mean, double variance, Index size) {
  const Index groups = f.size() / size;
  double ratio = 0.0, square = 0.0;
  for (Index g = 0; g < groups; ++g) {
    double own = 0.0;
    for (Index i = g * size; i < (g + 1) * size; ++i) own += (f[i] - mean) / static_cast<double>(size);
    const double t = own * own * static_cast<double>(size) / variance;
    ratio += t / static_cast<double>(groups);
    square += t * t / static_cast<double>(groups);
  }
  // Means of many are nearly normal: their squares add up to a chi-square. Of few, the sum of the T is.
  if (size < 32)
    return {ratio, 1.0 + far_out_of_groups * std::sqrt((square - ratio * ratio) / static_cast<double>(groups))};
  const boost::math::chi_squared law(static_cast<double>(groups));
  return {ratio, boost::math::quantile(boost::math::complement(law, false_alarm)) / static_cast<double>(groups)};
}

}  // namespace

void check_chain_independence(const SamplerSubject& s) {
  IndependentRows rows(s);
  const Index batch = rows.batch();
  std::string complaint;
  double worst = 0.0;
  for (const SeenNumbers& seen : numbers_of_chains(s, rows)) {
    const std::vector<double>& f = seen.values;
    const auto n = static_cast<double>(f.size());
    double mean = 0.0, variance = 0.0;
    for (const double v : f) mean += v / n;
    for (const double v : f) variance += (v - mean) * (v - mean) / n;
    if (!(variance > 1e-12 * (1.0 + mean * mean))) continue;  // one number for all chains: nothing to be shared
    for (const Index size : {Index{2}, Index{4}, Index{32}, batch}) {
      const auto [ratio, limit] = variance_between_groups(f, mean, variance, size);
      if (ratio / limit <= worst) continue;
      worst = ratio / limit;
      if (ratio > limit)
        complaint = fmt::format(
            "{} varies {:.3g} times as much between groups of {} neighboring chains as between "
            "independent ones (limit {:.3g}). A random word is shared by chains: address it by the "
            "row.",
            seen.name, ratio, size, limit);
    }
  }
  s.report.judge("chains are independent", complaint,
                 fmt::format("{} chains in groups of 2, 4, 32 and {}: the variance between groups is at most {:.2g} of "
                             "the limit",
                             batch * rows.calls(), batch, worst));
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
