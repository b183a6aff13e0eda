// Whatever is registered must go on from a checkpoint as if it had never been broken off, must not notice the checkpoints that
// are written because of the time, and must be repeated by the configuration that its run has written. The registries are
// walked, so that a component that is new is tested by being enrolled.
#include <doctest/doctest.h>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/tests/support/runs.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace registry_test {

using namespace harmonium;
using namespace harmonium::testing;
namespace fs = std::filesystem;

namespace {

/// Models of all kinds: each component is tested on those that it serves.
constexpr const char* models[] = {
    "type = \"rbm\"\nnum_visible = 9\nnum_hidden = 4\n",
    "type = \"boltzmann_machine\"\nnum_visible = 9\nnum_hidden = 3\n",
    "type = \"rbm\"\nnum_visible = 9\nnum_hidden = 4\nvisible_units = \"gaussian\"\n",
    "type = \"rbm\"\nnum_visible = 9\nnum_hidden = 3\nvisible_units = \"gaussian\"\nhidden_units = \"gaussian\"\n",
};

/// What fine-tuning serves.
constexpr const char* stack =
    "type = \"stack\"\nuntied = true\nmachines = [{type = \"rbm\", num_visible = 9, num_hidden = 4}, "
    "{type = \"rbm\", num_visible = 4, num_hidden = 5}]\n";

/// 14 rows of 9 columns, and 4 updates an epoch.
Setup setup_of(const std::string& name, const char* model, const std::string& estimator,
               const std::string& optimizer = "type = \"adam\"\nlearning_rate = 0.01\n", const std::string& more = "") {
  return {name, "type = \"bars_and_stripes\"\nside = 3\n", model, estimator, optimizer,
          4,    "[pictures]\nwhich = []\n" + more};
}

/// Trains in one piece; why that cannot be, where the parts do not go together; empty where they do.
std::string refusal(const fs::path& folder, const std::string& config) {
  try {
    train_in(folder, config);
  } catch (const ConfigError& error) {
    return error.what();
  } catch (const CapabilityError& error) {
    return error.what();
  }
  return "";
}

std::string with(const std::string& config, const std::string& setting) {
  const std::string table = "[training]\n";
  std::string changed = config;
  return changed.insert(changed.find(table) + table.size(), setting + "\n");
}

/// How a run that is broken off twice, and goes on under its written configuration, differs from the one that never was.
std::string interrupted(const ScratchFolder& scratch, const std::string& config,
                        const Registries& registries = builtin()) {
  train_in(scratch / "parts", config, {.stop_after = 0.3}, registries);
  const std::string written = content_of(scratch / "parts/config.toml");
  train_in(scratch / "parts", written, {.threads = 2, .resume = true, .stop_after = 0.75}, registries);
  CHECK_FALSE(fs::exists(scratch / "parts/model.h5"));
  train_in(scratch / "parts", written, {.resume = true}, registries);
  CHECK(files_of(scratch / "parts").size() == files_of(scratch / "whole").size());
  return differences(scratch / "whole", scratch / "parts", files_of(scratch / "whole"));
}

/// How a run of the configuration that the run wrote differs from it.
std::string repeated(const ScratchFolder& scratch) {
  train_in(scratch / "again", content_of(scratch / "whole/config.toml"));
  return differences(scratch / "whole", scratch / "again", files_of(scratch / "whole"));
}

/// How a run that writes a checkpoint after each update, because of the time, differs from one that does not.
std::string timed(const ScratchFolder& scratch, const std::string& config) {
  train_in(scratch / "timed", with(config, "checkpoint_minutes = 1e-12"));
  const bool same = tensors_of(scratch / "whole/model.h5") == tensors_of(scratch / "timed/model.h5");
  return differences(scratch / "whole", scratch / "timed", {"metrics.jsonl"}) + (same ? "" : "model.h5 differs; ");
}

/// Each component of a kind, in the setups that `setups_of` makes of its name.
template <class I, class SetupsOf>
void walk(SetupsOf setups_of) {
  const Registries registries = builtin();
  for (const auto& entry : registries.of<I>().entries()) {
    CAPTURE(entry.first);
    // Of a stack, which is put together and not trained: its state is checked in tests/conformance/builtin_test.cpp.
    if (entry.first == "top_down") continue;
    std::string refused;
    int served = 0;
    for (const char* model : models)
      for (const Setup& setup : setups_of(entry.first, model)) {
        CAPTURE(setup.model);
        CAPTURE(setup.estimator);
        const ScratchFolder scratch;
        const std::string config = config_of(setup, 3, 1);
        if (const std::string why = refusal(scratch / "whole", config); !why.empty()) {
          refused += why + "\n";
          continue;
        }
        ++served;
        CHECK(interrupted(scratch, config) == "");
        CHECK(timed(scratch, config) == "");
        CHECK(repeated(scratch) == "");
      }
    CHECK_MESSAGE(served > 0, refused);
  }
}

using Setups = std::vector<Setup>;

}  // namespace

TEST_CASE("every registered estimator goes on and is repeated to the same bits") {
  walk<GradientEstimator>([](const std::string& name, const char* model) {
    const std::string type = fmt::format("type = \"{}\"\n", name);
    if (name == "wake_sleep") return model == models[0] ? Setups{setup_of(name, stack, type)} : Setups{};
    return Setups{setup_of(name, model, type)};
  });
}

TEST_CASE("every registered sampler goes on and is repeated to the same bits") {
  walk<Sampler>([](const std::string& name, const char* model) {
    return Setups{setup_of(name, model, fmt::format("type = \"pcd\"\nnum_chains = 5\nsampler = \"{}\"\n", name))};
  });
}

TEST_CASE("every registered phase goes on and is repeated to the same bits") {
  walk<PhaseEstimator>([](const std::string& name, const char* model) {
    const char* estimator = "type = \"contrastive\"\npositive = \"{}\"\nnegative = \"{}\"\n";
    return Setups{setup_of(name, model, fmt::format(fmt::runtime(estimator), name, "chains")),
                  setup_of(name, model, fmt::format(fmt::runtime(estimator), "automatic", name))};
  });
}

TEST_CASE("every registered optimizer and schedule goes on and is repeated to the same bits") {
  const std::string pcd = "type = \"pcd\"\nnum_chains = 5\n";
  walk<Optimizer>([&](const std::string& name, const char* model) {
    const std::string type = fmt::format("type = \"{}\"\nlearning_rate = 0.01\n", name);
    Setups setups{setup_of(name, model, pcd, type)};
    if (name == "sgd")
      for (const char* momentum : {"classical", "nesterov"})
        setups.push_back(
            setup_of(name, model, pcd, type + fmt::format("momentum = 0.7\nmomentum_type = \"{}\"\n", momentum)));
    return setups;
  });
  walk<Schedule>([&](const std::string& name, const char* model) {
    return Setups{setup_of(name, model, pcd, fmt::format("type = \"sgd\"\nschedule = \"{}\"\n", name))};
  });
}

TEST_CASE("every registered observer goes on and is repeated to the same bits") {
  const ScratchFolder scratch;
  std::string rows;
  for (int row = 0; row < 20; ++row)
    rows += fmt::format("{},{},{},{},{}\n", row & 1, row >> 1 & 1, row >> 2 & 1, row >> 3 & 1, row % 2);
  const std::string labeled = fmt::format("type = \"csv\"\npath = \"{}\"\nlabel_column = \"last\"\nvalidation = 4\n",
                                          scratch.write("rows.csv", rows).string());
  walk<Observer>([&](const std::string& name, const char* model) {
    const std::string observer = fmt::format("[[observers]]\ntype = \"{}\"\n", name), sgd = "type = \"sgd\"\n",
                      pcd = "type = \"pcd\"\nnum_chains = 5\n";
    if (model == models[1]) return Setups{setup_of(name, model, pcd, sgd, observer)};
    if (model != models[0]) return Setups{};
    Setups setups;
    // Each where there is something for it to see.
    for (const std::string& estimator :
         {pcd, std::string("type = \"noise_contrastive\"\n"), std::string("type = \"unbiased_cd\"\n"),
          std::string("type = \"tempered_pcd\"\nnum_chains = 5\n")})
      setups.push_back(setup_of(name, model, estimator, sgd, observer));
    setups.push_back(
        setup_of(name, "type = \"rbm\"\nnum_visible = 4\nnum_hidden = 3\nnum_labels = 2\n", pcd, sgd, observer));
    setups.back().data = labeled;
    return setups;
  });
}

// A control: what a component does not put into a checkpoint is seen.
TEST_CASE("an optimizer that forgets what it remembers is told from one that does not") {
  class Forgetful final : public Optimizer {
   public:
    struct Options {
      void bind(OptionBinder&) {}
    };
    explicit Forgetful(Options) {}
    void check(const ParameterLayout&) const override {}
    void step(std::span<Real> theta, std::span<const Real> gradient, const ParameterLayout&, const Progress&,
              const Executor&) override {
      velocity_.resize(theta.size());
      for (Index i = 0; i < theta.size(); ++i) {
        velocity_[i] = Real(0.5) * velocity_[i] + Real(0.01) * gradient[i];
        theta[i] -= velocity_[i];
      }
    }
    double rate(const Progress&) const override { return 0.01; }

   private:
    std::vector<Real> velocity_;
  };
  Registries registries = builtin();
  registries.of<Optimizer>().add<Forgetful>("forgetful", "forgets its velocity");
  const ScratchFolder scratch;
  const std::string config =
      config_of(setup_of("control", models[0], "type = \"pcd\"\nnum_chains = 5\n", "type = \"forgetful\"\n"), 3, 1);
  train_in(scratch / "whole", config, {}, registries);
  CHECK(interrupted(scratch, config, registries) != "");
}

}  // namespace registry_test
