// A layer so wide that few chains share it out in panels. Its law cannot be enumerated, but that of the three hidden
// units and of some visible ones of every panel can: the visible units are independent given the hidden ones.

#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include <harmonium/framework/model/tiling.hpp>
#include <harmonium/samplers/gibbs.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/stationarity.hpp>

namespace panels_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

constexpr Index wide = 600, hidden = 3;

/// The first and the last unit of every panel.
std::vector<Index> watched_units() {
  std::vector<Index> watched;
  for (Index first = 0; first < wide; first += Tiling::panel(wide)) {
    watched.push_back(first);
    watched.push_back(std::min(wide, first + Tiling::panel(wide)) - 1);
  }
  return watched;
}

struct WideLaw {
  std::vector<double> hidden_states, cells;  ///< of the hidden units; of them and the watched ones
  std::vector<std::vector<double>> on;       ///< of each visible unit given each hidden state
};

WideLaw law_of_wide(const LayeredModel& model, const std::vector<Index>& watched) {
  const ParameterLayout& layout = model.parameter_layout();
  const Real* b = model.parameters().data() + layout[0].offset;
  const Real* c = model.parameters().data() + layout[1].offset;
  const ConstMatrixRef w = layout.view(2, model.parameters().data());
  WideLaw law;
  std::vector<double> minus_log;
  for (std::size_t h = 0; h < 1u << hidden; ++h) {
    double log_p = 0.0;
    std::vector<double> on(wide);
    for (Index j = 0; j < hidden; ++j) log_p += (h >> j & 1u) ? static_cast<double>(c[j]) : 0.0;
    for (Index i = 0; i < wide; ++i) {
      double field = static_cast<double>(b[i]);
      for (Index j = 0; j < hidden; ++j) field += (h >> j & 1u) ? static_cast<double>(w(i, j)) : 0.0;
      log_p += std::log1p(std::exp(field));
      on[i] = 1.0 / (1.0 + std::exp(-field));
    }
    minus_log.push_back(-log_p);
    law.on.push_back(on);
  }
  law.hidden_states = law_of(minus_log);
  for (std::size_t h = 0; h < law.hidden_states.size(); ++h) {
    for (std::size_t v = 0; v < 1u << watched.size(); ++v) {
      double p = law.hidden_states[h];
      for (std::size_t k = 0; k < watched.size(); ++k)
        p *= (v >> k & 1u) ? law.on[h][watched[k]] : 1.0 - law.on[h][watched[k]];
      law.cells.push_back(p);
    }
  }
  return law;
}

}  // namespace

TEST_CASE("a layer that is cut into panels keeps its law") {
  const std::vector<Index> watched = watched_units();
  REQUIRE(watched.size() >= 4);
  const auto model = random_machine(binary_layers({wide, hidden}, {true, false}, {{0, 1}}), 0.15, 21);
  const WideLaw law = law_of_wide(*model, watched);
  const Drawing draw(law.hidden_states);
  const WithoutKernel plain(*model);
  for (const EnergyModel* each :
       {static_cast<const EnergyModel*>(model.get()), static_cast<const EnergyModel*>(&plain)}) {
    std::mt19937_64 random(22);
    std::vector<std::uint64_t> counts(law.cells.size(), 0);
    const Executor executor(2);
    Gibbs gibbs;
    for (std::uint32_t batch = 0; batch < 400; ++batch) {
      constexpr Index rows = 125;
      Chains chains(model->layout(), rows, static_cast<std::uint32_t>(1 + batch * rows));
      const MatrixRef v = chains.write(LayerId{0}), h = chains.write(LayerId{1});
      for (Index r = 0; r < rows; ++r) {
        const std::size_t state = draw(random);
        for (Index j = 0; j < hidden; ++j) h(r, j) = static_cast<Real>(state >> j & 1u);
        for (Index i = 0; i < wide; ++i)
          v(r, i) = static_cast<double>(random() >> 11) * 0x1p-53 < law.on[state][i] ? Real{1} : Real{0};
      }
      gibbs.advance(Target{*each}, chains, 2, {executor, {1, 2}}, nullptr);
      for (Index r = 0; r < rows; ++r) {
        std::size_t cell = 0;
        for (Index j = 0; j < hidden; ++j) cell += chains.read(LayerId{1})(r, j) > 0 ? std::size_t{1} << j : 0;
        std::size_t visible = 0;
        for (std::size_t k = 0; k < watched.size(); ++k)
          visible += chains.read(LayerId{0})(r, watched[k]) > 0 ? std::size_t{1} << k : 0;
        ++counts[(cell << watched.size()) + visible];
      }
    }
    ChiSquare test;
    test.add(counts, law.cells);
    CHECK_MESSAGE(!test.rejected(), test.summary());
  }
}

}  // namespace panels_test
