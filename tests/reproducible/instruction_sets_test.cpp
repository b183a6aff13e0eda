#include <doctest/doctest.h>

#include <harmonium/framework/kernels/kernels.hpp>
#include <harmonium/tests/support/runs.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace instruction_sets_test {

using namespace harmonium;
using namespace harmonium::testing;

// Only our own kernels are chosen by HARMONIUM_ISA: the BLAS is the same in all these runs.
TEST_CASE("every instruction set of this machine trains the same parameters and draws the same samples") {
  const ScratchFolder scratch;
  const auto config = scratch.write("run.toml", config_of(setups().at(3), 3, 1));
  std::string reference;
  for (const Kernels* kernels : available_kernels()) {
    const std::string name(kernels->name), isa = "HARMONIUM_ISA=" + name;
    CAPTURE(name);
    const std::string run = (scratch / name).string(), samples = (scratch / (name + ".npy")).string();
    REQUIRE(run_program({"train", config.string(), "--output", run, "--quiet"}, {isa}) == 0);
    REQUIRE(run_program(
                {"sample", run + "/model.h5", "--num-samples", "500", "--steps", "20", "--output", samples, "--quiet"},
                {isa}) == 0);
    if (reference.empty()) {
      reference = name;
      continue;
    }
    CHECK(tensors_of(scratch / reference / "model.h5") == tensors_of(scratch / name / "model.h5"));
    CHECK(differences(scratch / reference, scratch / name, {"metrics.jsonl"}) == "");
    const bool same_samples = content_of(scratch / (reference + ".npy")) == content_of(samples);
    CHECK(same_samples);
  }
  CHECK(run_program({"sample", (scratch / reference / "model.h5").string(), "--num-samples", "1", "--steps", "1",
                     "--output", (scratch / "x.npy").string(), "--quiet"},
                    {"HARMONIUM_ISA=none"}) != 0);
}

}  // namespace instruction_sets_test
