// Samplers and units that draw a random word twice: between chains, halves of a batch, steps, units or layers.

#include <algorithm>

#include <doctest/doctest.h>

#include <harmonium/framework/testing/differences.hpp>
#include <harmonium/framework/testing/pair_independence.hpp>
#include <harmonium/framework/testing/sampler_suite.hpp>
#include <harmonium/framework/testing/shared_words.hpp>
#include <harmonium/framework/testing/unit_suite.hpp>
#include <harmonium/models/presets.hpp>
#include <harmonium/models/units/binary.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/tests/support/outcomes.hpp>

namespace word_controls_test {

using namespace harmonium;
using namespace harmonium::conformance;
using harmonium::testing::fails;

namespace {

constexpr const char* shared = "no random word is shared";

enum class Sharing {
  none,
  pieces,
  lanes,
  mirrored,
  batches,
  steps,
  pairs_of_steps,
  far_steps,
  units,
  layers,
  one_unit
};

/// Gibbs sampling, block after block, whose addresses have one fault.
class SharingGibbs final : public Sampler {
 public:
  explicit SharingGibbs(Sharing sharing) : sharing_(sharing) {}
  void check(const Target&) const override {}
  SamplerReport advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                        LastMeans*) override {
    for (Index s = 0; s < steps; ++s, chains.set_step(chains.step() + 1))
      for (const Block& block : target.model.block_conditionals()->blocks()) {
        if (target.held_layers().contains(block.layer)) continue;
        redraw(target, chains, block, execution.random);
      }
    return {};
  }

 private:
  std::uint32_t chain(const Chains& chains, Index row) const {
    const auto r = static_cast<std::uint32_t>(row);
    switch (sharing_) {
      case Sharing::pieces: return chains.first_chain() + r % 64;
      case Sharing::lanes: return (chains.first_chain() + r) / 4 * 4;
      case Sharing::mirrored: return chains.first_chain() + std::min(r, 287 - std::min(r, 287u));
      case Sharing::batches: return r;
      default: return chains.first_chain() + r;
    }
  }
  std::uint64_t step(const Chains& chains) const {
    switch (sharing_) {
      case Sharing::steps: return 7;
      case Sharing::pairs_of_steps: return chains.step() / 2;
      case Sharing::far_steps: return chains.step() % (std::uint64_t{1} << 32);
      default: return chains.step();
    }
  }
  void redraw(const Target& target, Chains& chains, const Block& block, RandomSource source) const {
    const UnitType& unit = *target.model.layout()[block.layer].unit;
    const Index rows = chains.size(), width = unit.width(), columns = block.size * width;
    std::vector<Real> linear(rows * columns), curvature(unit.has_curvature() ? linear.size() : 0);
    const std::vector<Real> beta(rows, static_cast<Real>(target.beta));
    Fields fields{{linear.data(), rows, columns, columns}};
    if (!curvature.empty()) fields.curvature = {curvature.data(), rows, columns, columns};
    target.model.block_conditionals()->fields(block, 0, block.size, chains, fields);
    const auto held = target.held ? target.held->units(block.layer, 0, rows) : MatrixView<const std::uint8_t>{};
    const MatrixRef state = chains.write(block.layer);
    for (Index r = 0; r < rows; ++r)
      for (Index k = 0; k < block.size; ++k) {
        const Index u = block.whole() ? k : block.units[k];
        if (!held.empty() && held(r, u)) continue;
        const bool own = sharing_ != Sharing::one_unit || u != 0;
        DrawBlock words = DrawBlock::of(source, own ? chain(chains, r) : 0, step(chains),
                                        sharing_ == Sharing::layers ? LayerId{0} : block.layer);
        words.first_site = sharing_ == Sharing::units ? 0 : static_cast<std::uint32_t>(u);
        ConstFields one{ConstMatrixRef(fields.linear).slice(r, r + 1).columns(k * width, (k + 1) * width)};
        if (!curvature.empty())
          one.curvature = ConstMatrixRef(fields.curvature).slice(r, r + 1).columns(k * width, (k + 1) * width);
        one.scale = beta.data();
        unit.sample(one, words, state.slice(r, r + 1).columns(u * width, (u + 1) * width), {});
      }
  }

  Sharing sharing_;
};

CheckReport report_of(Sharing sharing, const EnergyModel& model) {
  CheckReport report;
  check_sampler([=] { return std::make_unique<SharingGibbs>(sharing); }, model, report);
  return report;
}

/// Of the one check that looks for it.
CheckReport words_of(Sharing sharing, const EnergyModel& model) {
  CheckReport report;
  SharingGibbs sampler(sharing);
  check_shared_words(sampler, model, report);
  return report;
}

}  // namespace

TEST_CASE("a sampler that draws a word twice is seen, whoever shares it" * doctest::test_suite("slow")) {
  RbmOptions gaussian{.num_visible = 4, .num_hidden = 3, .visible_units = std::make_unique<GaussianUnit>()};
  const std::unique_ptr<EnergyModel> models[] = {make_rbm({.num_visible = 4, .num_hidden = 3}),
                                                 make_rbm(std::move(gaussian))};
  for (const auto& model : models) {
    randomize(*model, 4, 0.75);
    const CheckReport right = report_of(Sharing::none, *model);
    for (const CheckResult& r : right.results())
      CHECK_MESSAGE(r.outcome != CheckOutcome::failed, r.check, ": ", r.words);
    for (const Sharing sharing : {Sharing::pieces, Sharing::lanes, Sharing::mirrored, Sharing::batches, Sharing::steps,
                                  Sharing::pairs_of_steps, Sharing::far_steps, Sharing::one_unit}) {
      CAPTURE(static_cast<int>(sharing));
      CHECK(fails(words_of(sharing, *model), shared));
    }
    // The law itself is another one.
    const char* law = model == models[0] ? "exact start" : "reference start";
    for (const Sharing sharing : {Sharing::units, Sharing::layers}) {
      CAPTURE(static_cast<int>(sharing));
      CHECK(fails(report_of(sharing, *model), law));
    }
  }
}

}  // namespace word_controls_test
