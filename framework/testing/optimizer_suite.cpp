#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/testing/differences.hpp>
#include <harmonium/framework/testing/training_suite.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {
namespace {

/// What is wrong with steps that all meet the same gradient: as a whole they must go against it.
std::string uphill(Optimizer& optimizer, const std::vector<Real>& start, const ParameterLayout& layout) {
  constexpr std::uint64_t steps = 4;
  const std::vector<double> numbers = random_weights(start.size(), 99);
  const std::vector<Real> gradient(numbers.begin(), numbers.end());
  std::vector<Real> theta = start;
  for (std::uint64_t update = 0; update < steps; ++update)
    optimizer.step(theta, gradient, layout, {update, steps, 2}, Executor(1));
  double along = 0.0;
  bool moved = false;
  for (const ParameterBlock& block : layout.blocks())
    for (Index k = block.offset; k < block.offset + block.size(); ++k) {
      if (!block.learned) continue;
      along += numbers[k] * (static_cast<double>(theta[k]) - static_cast<double>(start[k]));
      moved = moved || theta[k] != start[k];
    }
  if (!moved || along < 0.0) return "";
  return fmt::format("{} steps along one gradient lead uphill: by {:.3g} along it. Look for a sign.", steps, along);
}

}  // namespace

void check_optimizer(const std::function<std::unique_ptr<Optimizer>()>& make, EnergyModel& model, CheckReport& report) {
  const ParameterLayout& layout = model.parameter_layout();
  const std::vector<Real> start(model.parameters().begin(), model.parameters().end());
  constexpr std::uint64_t half = 3;
  const auto step = [&](Optimizer& optimizer, std::vector<Real>& theta, std::uint64_t first, std::uint64_t last,
                        int threads) {
    const Executor executor(threads);
    for (std::uint64_t update = first; update < last; ++update) {
      const std::vector<double> numbers = random_weights(theta.size(), 100 + update);
      const std::vector<Real> gradient(numbers.begin(), numbers.end());
      optimizer.step(theta, gradient, layout, {update, 2 * half, 2}, executor);
    }
  };
  const auto one = make(), three = make(), saved = make(), loaded = make(), downhill = make();
  try {
    one->check(layout);
  } catch (const Error& error) {
    report.skip("optimizer", error.what());
    return;
  }
  std::vector<Real> on_one = start, on_three = start, through = start;
  step(*one, on_one, 0, 2 * half, 1);
  step(*three, on_three, 0, 2 * half, 3);
  report.judge("any number of threads", on_one == on_three ? "" : "steps on 3 threads lead elsewhere than on 1",
               "the same bits on 1 thread and on 3");
  std::string complaint;
  for (const ParameterBlock& block : layout.blocks())
    for (Index k = block.offset; k < block.offset + block.size(); ++k)
      if (!block.learned && on_one[k] != start[k])
        complaint = fmt::format("'{}' is not learned, and was moved", block.name);
      else if (!std::isfinite(on_one[k]))
        complaint = fmt::format("'{}' is {} after {} steps", block.name, on_one[k], 2 * half);
  report.judge("what is learned", complaint, "parameters stay finite, and what is not learned stays");

  report.judge("descent", uphill(*downhill, start, layout), "steps along one gradient go against it");

  step(*saved, through, 0, half, 1);
  StateArchive archive;
  saved->state(archive);
  complaint.clear();
  try {
    StateArchive fields(archive.fields(), state_sizes(model));
    loaded->state(fields);
    step(*loaded, through, half, 2 * half, 1);
    if (through != on_one)
      complaint = fmt::format(
          "after {} steps its state was given to a new one, which goes on otherwise. Something that it "
          "remembers is not in state(StateArchive&).",
          half);
  } catch (const std::exception& error) {
    complaint = fmt::format("the state that it saved cannot be loaded: {}", error.what());
  }
  report.judge("state saved and restored", complaint, "goes on the same after its state was saved and restored");
}

void check_regularizer(const Regularizer& regularizer, EnergyModel& model, CheckReport& report) {
  const auto of = [&](int threads, Real before) {
    const Executor executor(threads);
    std::vector<Real> gradient(model.parameters().size(), before);
    regularizer.add_gradient(model.parameters(), model.parameter_layout(), gradient, executor);
    return gradient;
  };
  report.judge("any number of threads", of(1, 0) == of(3, 0) ? "" : "another gradient on 3 threads than on 1",
               "the same bits on 1 thread and on 3");
  const std::vector<Real> bare = of(1, 0), added = of(1, 1);
  std::string complaint;
  for (Index k = 0; k < bare.size(); ++k)
    if (!(std::abs(added[k] - bare[k] - Real{1}) <= 4 * std::numeric_limits<Real>::epsilon() * (2 + std::abs(bare[k]))))
      complaint = fmt::format("entry {} is {} where 0 was, and {} where 1 was: it must add", k, bare[k], added[k]);
  report.judge("it adds to the gradient", complaint, "what was there stays");
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
