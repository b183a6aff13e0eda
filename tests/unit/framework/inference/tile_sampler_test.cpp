// What a sampler of tiles is given: positions, energies and gradients of the target, words of its own, and what is held.
#include <cmath>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/acceptance.hpp>
#include <harmonium/framework/inference/tile_sampler.hpp>
#include <harmonium/framework/testing/sampler_suite.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/tests/support/example_models.hpp>

namespace tile_sampler_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

/// Two coupled layers of normal units.
std::unique_ptr<LayeredModel> normal_model(std::uint64_t seed) {
  const auto unit = std::make_shared<GaussianUnit>();
  return random_model({.layers = {observed("visible", 3, unit), latent("hidden", 2, unit)}, .couplings = {{0, 1}}},
                      seed, 0.375);
}

/// x' = x + size ξ, accepted by the energies; with a fault, at another temperature.
class RandomWalk final : public TileSampler {
 public:
  explicit RandomWalk(double size, double wrong = 1.0) : TileSampler("walk"), size_(size), wrong_(wrong) {}

 private:
  Index move(ChainTile& tile) const override {
    const Matrix<double> start = tile.positions(), q = start + size_ * tile.normals();
    const Vector<double> before = tile.energy();
    tile.set_positions(q);
    const Vector<double> after = tile.energy();
    Index accepted = 0;
    for (Index r = 0; r < tile.rows(); ++r) {
      if (accepts(wrong_ * (before(r) - after(r)), tile.uniform(r))) ++accepted;
      else tile.set_positions(r, start);
    }
    return accepted;
  }
  double size_, wrong_;
};

/// Calls `see` with each tile and moves nothing.
class Look final : public TileSampler {
 public:
  explicit Look(std::function<void(ChainTile&)> see) : TileSampler("look"), see_(std::move(see)) {}

 private:
  Index move(ChainTile& tile) const override {
    see_(tile);
    return 0;
  }
  std::function<void(ChainTile&)> see_;
};

}  // namespace

TEST_CASE("a sampler of tiles keeps what samplers promise, and one at a wrong temperature does not") {
  const auto model = normal_model(2);
  CheckReport right, wrong;
  conformance::check_sampler([] { return std::make_unique<RandomWalk>(0.8); }, *model, right);
  for (const CheckResult& r : right.results()) CHECK_MESSAGE(r.outcome != CheckOutcome::failed, r.check, ": ", r.words);
  conformance::check_sampler([] { return std::make_unique<RandomWalk>(0.8, 0.9); }, *model, wrong);
  CHECK(wrong.failed());
}

TEST_CASE("the gradient of a tile is the slope of its energy, at any temperature, beside any base") {
  const auto model = normal_model(2), base = normal_model(3);
  const double ladder[] = {1.0, 0.375};
  const Executor threads(1);
  for (const bool with_base : {false, true}) {
    CAPTURE(with_base);
    Chains chains = random_rows(model->layout(), 6, 4);
    for (Index r = 0; r < 6; ++r) chains.rung()[r] = static_cast<std::uint32_t>(r % 2);
    Target target{*model};
    target.ladder = ladder;
    if (with_base) target.base = base.get();
    Look([](ChainTile& tile) {
      REQUIRE(tile.coordinates() == 5);
      const Matrix<double> at = tile.positions(), slope = tile.gradient();
      const double h = in_double ? 0x1p-10 : 0x1p-3;  // exact for a quadratic function but for rounding
      for (Index c = 0; c < 5; ++c) {
        Matrix<double> q = at;
        for (Index r = 0; r < 6; ++r) q(r, c) += h;
        tile.set_positions(q);
        const Vector<double> up = tile.energy();
        for (Index r = 0; r < 6; ++r) q(r, c) -= 2.0 * h;
        tile.set_positions(q);
        const Vector<double> down = tile.energy();
        tile.set_positions(at);
        for (Index r = 0; r < 6; ++r)
          CHECK(slope(r, c) == doctest::Approx((up(r) - down(r)) / (2.0 * h)).epsilon(in_double ? 1e-8 : 1e-3));
      }
    }).advance(target, chains, 1, {threads, {.seed = 1}});
  }
}

TEST_CASE("what is held has no gradient and no noise, and does not move") {
  const auto model = normal_model(2);
  const Executor threads(1);
  Chains chains = random_rows(model->layout(), 4, 4);
  Chains before = chains;
  HeldMask held(LayerSet().add(LayerId{1}));
  std::vector<std::uint8_t> units(12, 0);
  units[1 * 3 + 2] = 1;  // of row 1 unit 2
  held.hold_units(LayerId{0}, 3, units);
  Target target{*model};
  target.held = &held;
  Look([](ChainTile& tile) {
    CHECK(tile.coordinates() == 3);
    const Matrix<double> g = tile.gradient(), z = tile.normals();
    for (Index r = 0; r < 4; ++r)
      for (Index c = 0; c < 3; ++c) {
        const bool is_held = r == 1 && c == 2;
        CHECK((g(r, c) == 0.0) == is_held);
        CHECK((z(r, c) == 0.0) == is_held);
      }
    CHECK(tile.uniform(0) != tile.uniform(1));
    CHECK(tile.uniform(0, 0) != tile.uniform(0, 1));
  }).advance(target, chains, 1, {threads, {.seed = 1}});
  RandomWalk(0.8).advance(target, chains, 20, {threads, {.seed = 1}});
  CHECK(chains.read(LayerId{0})(1, 2) == before.read(LayerId{0})(1, 2));
  CHECK(chains.read(LayerId{0})(1, 1) != before.read(LayerId{0})(1, 1));
  for (Index r = 0; r < 4; ++r)
    for (Index c = 0; c < 2; ++c) CHECK(chains.read(LayerId{1})(r, c) == before.read(LayerId{1})(r, c));
}

TEST_CASE("transitions are counted, and rows are the same on any number of threads and in any number of calls") {
  const auto model = normal_model(2);
  const auto moved = [&](int threads, const std::vector<Index>& calls) {
    const Executor executor(threads);
    Chains chains = random_rows(model->layout(), 600, 4);
    RandomWalk walk(0.8);
    std::uint64_t proposed = 0;
    for (const Index steps : calls)
      proposed += walk.advance(Target{*model}, chains, steps, {executor, {.seed = 1}}).proposed;
    CHECK(proposed == 3600);
    CHECK(chains.step() == 6);
    const ConstMatrixRef x = chains.read(LayerId{0});
    return std::vector<Real>(x.data, x.data + x.rows * x.cols);
  };
  CHECK(moved(1, {6}) == moved(3, {6}));
  CHECK(moved(1, {6}) == moved(1, {2, 4}));
}

TEST_CASE("targets that it cannot move are refused with what would serve") {
  const auto discrete = random_rbm(3, 2, 1);
  CHECK_THROWS_AS(RandomWalk(0.1).check(Target{*discrete}), CapabilityError);
  const auto mixed =
      random_model({.layers = {observed("visible", 3, std::make_shared<GaussianUnit>()), latent("hidden", 2)},
                    .couplings = {{0, 1}}},
                   1);
  CHECK_THROWS_WITH_AS(
      RandomWalk(0.1).check(Target{*mixed}),
      "sampler 'walk': the units of layer 'hidden' are binary, and it moves continuous ones alone. Try "
      "'langevin', which draws the others by Gibbs sampling.",
      CapabilityError);
}

}  // namespace tile_sampler_test
