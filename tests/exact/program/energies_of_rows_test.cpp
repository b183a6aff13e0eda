// Draws as one model tells them to another: their energies against the definition, with latent units summed out and without.
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/plugins/builtin/enroll.hpp>
#include <harmonium/program/work/commands.hpp>
#include <harmonium/program/work/energies_of_rows.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/oracle.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace energies_of_rows_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

constexpr Index visible = 4;

Value integer(Index n) { return make_value(static_cast<std::int64_t>(n)); }

/// An RBM in a file, and the states of all its units as draws, of which state s has bit i of s in column i.
struct Machine {
  Machine(const ScratchFolder& folder, Index hidden, std::uint64_t seed)
      : model(random_rbm(visible, hidden, seed, 1.0)), columns(visible + hidden), path(folder / std::to_string(seed)) {
    write_model(path, *model,
                make_table({{"model", make_table({{"type", make_value("rbm")},
                                                  {"num_visible", integer(visible)},
                                                  {"num_hidden", integer(hidden)}})},
                            {"precision", make_value(in_double ? "float64" : "float32")}}));
  }
  CertifiedRows all_states() const {
    const Layout& layout = model->layout();
    CertifiedDraws draws{Chains(layout, Index{1} << columns), 7, true};
    Index first = 0;
    for (const LayerId l : layout.ids()) {
      const MatrixRef out = draws.rows.write(l);
      for (Index s = 0; s < out.rows; ++s)
        for (Index c = 0; c < out.cols; ++c) out(s, c) = static_cast<Real>(s >> (first + c) & 1);
      first += layout[l].columns();
    }
    return rows_of(draws, *model);
  }
  double energy(Index s) const {
    std::vector<double> x(columns);
    for (Index i = 0; i < columns; ++i) x[i] = static_cast<double>(s >> i & 1);
    return Oracle(*model).energy(x);
  }

  std::unique_ptr<LayeredModel> model;
  Index columns;
  std::string path;
};

}  // namespace

TEST_CASE("draws of one model have their energies under another, latent units summed out or not") {
  const ScratchFolder folder;
  Registries registries;
  enroll_builtin(registries);
  const Machine one(folder, 2, 3), other(folder, 3, 4), like_one(folder, 2, 5);
  const CertifiedRows rows = one.all_states();
  CHECK(rows.rows == 64);
  CHECK(rows.columns == 6);
  CHECK(rows.group == 7);
  CHECK(rows.starts_apart);
  CHECK(rows.sums_latent);
  CHECK(rows.layers.size() == 2);
  CHECK(rows.observed() == other.all_states().observed());
  CHECK_FALSE(rows.layers == other.all_states().layers);
  CHECK(rows.layers == like_one.all_states().layers);

  EnergiesRequest request;
  request.threads = 1;
  request.beta = 0.7;
  request.model = other.path;
  const CertifiedRows more = other.all_states();
  request.rows = {&rows, &more};
  const auto summed = energies_of_rows(request, registries);
  REQUIRE(summed.size() == 2);
  const double rounding = in_double ? 1e-12 : 1e-5;
  for (const auto& [found, states] : {std::pair{summed[0], rows.rows}, {summed[1], more.rows}}) {
    REQUIRE(found.size() == states);
    for (Index s = 0; s < states; ++s) {
      double sum = 0.0;
      for (Index h = 0; h < 8; ++h) sum += std::exp(-0.7 * other.energy(s % 16 + 16 * h));
      CHECK(std::abs(found[s] + std::log(sum)) < rounding * (1.0 + std::abs(found[s])));
    }
  }
  request.model = like_one.path;
  request.of = EnergyOf::all;
  request.rows = {&rows};
  const std::vector<double> joint = energies_of_rows(request, registries)[0];
  for (Index s = 0; s < rows.rows; ++s)
    CHECK(std::abs(joint[s] - 0.7 * like_one.energy(s)) < rounding * (1.0 + std::abs(joint[s])));

  request.model = other.path;  // of other latent units
  CHECK_THROWS_AS(energies_of_rows(request, registries), ConfigError);
}

}  // namespace energies_of_rows_test
