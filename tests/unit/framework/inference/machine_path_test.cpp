#include <algorithm>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/machine_path.hpp>
#include <harmonium/framework/run/kept_machines.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/scratch.hpp>
#include <harmonium/tests/support/trajectories.hpp>

namespace machine_path_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

std::vector<Real> own_parameters(const EnergyModel& model) {
  return {model.parameters().begin(), model.parameters().end()};
}

/// θ with 0 for what couples units.
std::vector<Real> uncoupled_part(const EnergyModel& model, std::vector<Real> theta) {
  for (const ParameterBlock& block : model.parameter_layout().blocks())
    if (is_coupling(block)) std::ranges::fill(std::span(theta).subspan(block.offset, block.size()), Real{0});
  return theta;
}

}  // namespace

TEST_CASE("a path goes from the first machine without couplings by the kept ones to the model") {
  const auto model = small_rbm();
  const std::vector<KeptMachine> kept = made_trajectory(*model, 3, 5);
  const MachinePath path(*model, kept);
  CHECK(path.num_parts() == 4);
  CHECK(path.parameters(0.0) == uncoupled_part(*model, kept[0].theta));
  CHECK(path.parameters(0.25) == kept[0].theta);
  CHECK(path.parameters(0.5) == kept[1].theta);
  CHECK(path.parameters(0.75) == kept[2].theta);
  CHECK(path.parameters(1.0) == own_parameters(*model));
  const std::vector<Real> between = path.parameters(0.625);
  for (Index i = 0; i < between.size(); ++i)
    CHECK(between[i] == doctest::Approx(0.5 * (kept[1].theta[i] + kept[2].theta[i])).epsilon(1e-6));
  CHECK(names_of(path, std::vector<double>{1.0, 0.875, 0.625, 0.5, 0.125, 0.0}) ==
        "updates 0, 5, 20, 30, 0.5 of the way from 40 to the model and the model");
}

TEST_CASE("a path follows its model, and without kept machines its beginning does too") {
  const auto model = small_rbm();
  MachinePath path(*model, made_trajectory(*model, 2, 5)), straight(*model, {});
  CHECK(straight.parameters(0.0) == uncoupled_part(*model, own_parameters(*model)));
  const std::vector<Real> first = path.parameters(0.0);
  CHECK_FALSE(path.follow(*model));
  model->update_parameters([](std::span<Real> theta) {
    for (Real& t : theta) t += Real{1};
  });
  CHECK(path.follow(*model));
  CHECK(path.parameters(1.0) == own_parameters(*model));
  CHECK(path.parameters(0.0) == first);
  CHECK(straight.follow(*model));
  CHECK(straight.parameters(0.0) == uncoupled_part(*model, own_parameters(*model)));
}

TEST_CASE("the machines that a run kept are read in the order of their updates") {
  const ScratchFolder folder;
  const auto model = small_rbm();
  std::vector<KeptMachine> kept = made_trajectory(*model, 3, 5);
  std::ranges::reverse(kept);
  write_trajectory(folder / "run", *model, kept);
  std::ranges::reverse(kept);
  const std::vector<KeptMachine> read = kept_machines(folder / "run", *model);
  REQUIRE(read.size() == 3);
  for (Index i = 0; i < 3; ++i) {
    CHECK(read[i].update == kept[i].update);
    CHECK(read[i].theta == kept[i].theta);
  }
  CHECK(kept_machines("", *model).empty());
  std::filesystem::remove(folder / "run/checkpoints/20.h5");
  CHECK(kept_machines(folder / "run", *model).size() == 2);
  CHECK(message_of<ConfigError>([&] { kept_machines(folder / "none", *model); })
            .ends_with("none: no checkpoints of a run are there. Name the folder of a run that kept some "
                       "(training.checkpoint_every, with checkpoint_keep = \"log_spaced\" or \"all\")."));
  CHECK(message_of<DataError>([&] { kept_machines(folder / "run", *small_deep()); }).find("10.h5: ") !=
        std::string::npos);
  CHECK_THROWS_AS(kept_machines(folder / "run", Forwarding(*model)), CapabilityError);
}

}  // namespace machine_path_test
