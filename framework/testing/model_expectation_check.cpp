#include <random>

#include <harmonium/framework/testing/model_checks.hpp>
#include <harmonium/framework/testing/model_states.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {
namespace {

/// A factorized law, all of its units' states random: the probability of each joint state, and its moments.
struct RandomFactors {
  explicit RandomFactors(const ModelStates& states) : layout(states.m.model.layout()), law(states.space.size(), 1.0) {
    std::mt19937_64 words(23);
    std::size_t u = 0;
    for (const LayerId l : layout.ids()) {
      const std::vector<std::vector<Real>> values = values_of(*layout[l].unit);
      const Index width = layout[l].unit->width(), columns = layout[l].columns();
      std::vector<double> mean(columns, 0.0), second(columns, 0.0);
      for (Index i = 0; i < layout[l].size; ++i, ++u) {
        std::vector<double> p(values.size());
        double total = 0.0;
        for (double& v : p) total += v = 0.1 + static_cast<double>(words() >> 11) * 0x1p-53;
        for (std::size_t s = 0; s < law.size(); ++s) law[s] *= p[states.space.digit(s, u)] / total;
        for (Index s = 0; s < values.size(); ++s)
          for (Index c = 0; c < width; ++c) {
            const auto v = static_cast<double>(values[s][c]);
            mean[i * width + c] += p[s] / total * v;
            second[i * width + c] += p[s] / total * v * v;
          }
      }
      means.emplace_back(mean.begin(), mean.end());
      seconds.emplace_back(second.begin(), second.end());
    }
  }
  Moments moments() const {
    Moments q;
    for (Index l = 0; l < layout.size(); ++l) {
      const Index columns = layout.layers()[l].columns();
      q.mean.push_back({means[l].data(), 1, columns, columns});
      q.second.push_back({seconds[l].data(), 1, columns, columns});
    }
    return q;
  }

  const Layout& layout;
  std::vector<double> law;
  std::vector<std::vector<Real>> means, seconds;
};

}  // namespace

void check_expectation(const ModelSubject& m, const FactorizedExpectation& expectation) {
  const ModelStates states(m);
  const RandomFactors factors(states);
  const double one = 1.0;
  std::vector<Real> told(m.model.parameters().size(), Real{0});
  expectation.add_gradient(factors.moments(), {&one, 1}, told, m.executor);
  Comparisons worst;
  states.compare_gradients(worst, told, states.gradient(factors.law), "");
  m.report.judge("expectation under a factorized law against the sum over states",
                 worst.complaint("the sum over all states"), worst.summary());
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
