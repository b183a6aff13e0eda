// Negative controls of the comparisons of runs: components that break one promise each must be seen to.
#include <algorithm>

#include <doctest/doctest.h>

#include <harmonium/samplers/gibbs.hpp>
#include <harmonium/tests/support/runs.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace reproducible_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

struct NoOptions {
  void bind(OptionBinder&) {}
};

void copy_rows(const Layout& layout, const Chains& from, Index from_row, Chains& to, Index to_row, Index count) {
  for (const LayerId l : layout.ids()) {
    const ConstMatrixRef x = from.read(l);
    std::copy_n(x.row(from_row), count * x.cols, to.write(l).row(to_row));
  }
}

/// Cuts its work by the number of threads, each piece with words from the first on.
class CutByThreads final : public Sampler {
 public:
  using Options = NoOptions;
  explicit CutByThreads(Options) {}
  void check(const Target&) const override {}
  SamplerReport advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                        LastMeans*) override {
    const Layout& layout = target.model.layout();
    const auto threads = static_cast<Index>(execution.executor.threads());
    const Index piece = (chains.size() + threads - 1) / threads;
    for (Index first = 0; first < chains.size(); first += piece) {
      const Index count = std::min(piece, chains.size() - first);
      Chains part(layout, count);
      part.set_step(chains.step());
      copy_rows(layout, chains, first, part, 0, count);
      gibbs_.advance(target, part, steps, execution, nullptr);
      copy_rows(layout, part, 0, chains, first, count);
    }
    chains.set_step(chains.step() + steps);
    return {};
  }

 private:
  Gibbs gibbs_;
};

/// Remembers something that it does not save.
class UnsavedMemory final : public Sampler {
 public:
  using Options = NoOptions;
  explicit UnsavedMemory(Options) {}
  void check(const Target&) const override {}
  SamplerReport advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                        LastMeans* last) override {
    return gibbs_.advance(target, chains, steps, execution.part(std::to_string(calls_++)), last);
  }

 private:
  Gibbs gibbs_;
  int calls_ = 0;
};

/// An observer that changes what it should only look at.
class Meddler final : public Observer {
 public:
  using Options = NoOptions;
  explicit Meddler(Options) {}
  Verdict epoch_ended(const EpochEnd& end, MetricRecord&) override {
    const_cast<EnergyModel&>(end.model).update_parameters([](std::span<Real> theta) { theta[0] += Real(1e-3); });
    return Verdict::go_on;
  }
};

Registries with_wrong_ones() {
  Registries registries = builtin();
  registries.of<Sampler>().add<CutByThreads>("cut_by_threads", "wrong");
  registries.of<Sampler>().add<UnsavedMemory>("unsaved_memory", "wrong");
  registries.of<Observer>().add<Meddler>("meddler", "wrong");
  return registries;
}

Setup with_sampler(const std::string& sampler) {
  Setup setup = setups().front();
  setup.estimator = "type = \"pcd\"\nnum_chains = 100\nsampler = { type = \"" + sampler + "\" }\n";
  return setup;
}

const std::vector<std::string> results{"model.h5", "metrics.jsonl"};

}  // namespace

TEST_CASE("a sampler that cuts its work by the number of threads is caught") {
  const Registries registries = with_wrong_ones();
  const ScratchFolder scratch;
  const std::string config = config_of(with_sampler("cut_by_threads"), 2, 2);
  train_in(scratch / "one", config, {.threads = 1}, registries);
  train_in(scratch / "two", config, {.threads = 2}, registries);
  CHECK(differences(scratch / "one", scratch / "two", results) == "model.h5 differs; metrics.jsonl differs; ");
}

TEST_CASE("a component that forgets to save what it remembers is caught") {
  const Registries registries = with_wrong_ones();
  for (const std::string sampler : {"unsaved_memory", "gibbs"}) {
    const ScratchFolder scratch;
    train_in(scratch / "whole", config_of(with_sampler(sampler), 4, 2), {}, registries);
    train_in(scratch / "parts", config_of(with_sampler(sampler), 2, 2), {}, registries);
    train_in(scratch / "parts", config_of(with_sampler(sampler), 4, 2), {.resume = true}, registries);
    const std::string found = differences(scratch / "whole", scratch / "parts", results);
    CHECK(found == (sampler == "gibbs" ? "" : "model.h5 differs; metrics.jsonl differs; "));
  }
}

TEST_CASE("an observer that meddles with the run is caught") {
  const Registries registries = with_wrong_ones();
  const ScratchFolder scratch;
  const std::string config = config_of(setups().front(), 2, 0);
  train_in(scratch / "without", config, {}, registries);
  train_in(scratch / "with", config + "[[observers]]\ntype = \"meddler\"\n", {}, registries);
  CHECK(tensors_of(scratch / "without/model.h5") != tensors_of(scratch / "with/model.h5"));
}

}  // namespace reproducible_test
