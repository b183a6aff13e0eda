#include <harmonium/program/work/run_check.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/run/experiment.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Stops a run after an update.
class Stopper final : public TrainingHost {
 public:
  explicit Stopper(std::uint64_t last) : last_(last) {}
  Verdict between_updates(const TrainingPosition& position, bool) override {
    return position.update >= last_ ? Verdict::stop : Verdict::go_on;
  }
  void recorded(std::uint64_t, std::uint64_t, const MetricRecord& record, double) override { record_ = record; }
  const MetricRecord& record() const { return record_; }

 private:
  std::uint64_t last_;
  MetricRecord record_;
};

/// What there is after some updates of a run.
struct RunState {
  std::vector<Real> theta;
  StateArchive::Fields fields;
  TrainingPosition position;
  bool operator==(const RunState& other) const {
    return theta == other.theta && fields == other.fields && position.update == other.position.update;
  }
};

class RunCheck {
 public:
  RunCheck(const Value& config, const Registries& registries, const std::string& folder, CheckReport& report)
      : config_(config), registries_(registries), folder_(folder), report_(report) {
    Value training = make_table();
    if (const Value* own = config_.find("training"); own && own->is_table()) training = *own;
    // Of a few updates nothing need be measured that is followed.
    for (const char* name : {"num_epochs", "stop_early", "keep_best"}) training.erase(name);
    training.set("num_updates", make_value(std::int64_t{updates}));
    config_.set("training", training);
  }

  void run() {
    report_.subject("the run itself");
    try {
      const RunState one = go(nullptr, updates, 1);
      report_.judge(
          "any number of threads",
          go(nullptr, updates, 3) == one
              ? ""
              : fmt::format("after {} updates on 3 threads parameters or states are not those of 1 thread", updates),
          fmt::format("{} updates give the same bits on 1 thread and on 3", updates));
      const RunState half = go(nullptr, updates / 2, 1);
      const RunState resumed = go(&half, updates, 1);
      report_.judge("stopped and resumed", resumed == one ? "" : difference(resumed, one),
                    fmt::format("{} updates in two parts give the same bits as in one", updates));
    } catch (const Diverged& error) {
      report_.add(CheckOutcome::failed, "a few updates", error.what());
    } catch (const Stopped&) {
      throw;
    } catch (const std::exception& error) {
      report_.add(CheckOutcome::failed, "a few updates", error.what());
    }
  }

 private:
  static constexpr std::int64_t updates = 4;

  RunState go(const RunState* from, std::uint64_t last, int threads) const {
    const Executor executor(threads);
    Experiment experiment(config_, registries_, folder_, executor);
    RunState state;
    if (from) {
      experiment.model().update_parameters(
          [&](std::span<Real> theta) { std::copy(from->theta.begin(), from->theta.end(), theta.begin()); });
      StateArchive archive(from->fields, experiment.sizes());
      experiment.state(archive);
      state.position = from->position;
    }
    Stopper host(last);
    experiment.run(state.position, host, executor);
    StateArchive archive;
    experiment.state(archive);
    state.fields = archive.fields();
    state.theta.assign(experiment.model().parameters().begin(), experiment.model().parameters().end());
    return state;
  }

  static std::string difference(const RunState& a, const RunState& b) {
    for (const auto& [name, field] : b.fields)
      if (const auto found = a.fields.find(name); found == a.fields.end() || found->second != field)
        return fmt::format(
            "a run that was stopped after {} updates and resumed has another '{}' in its state: whoever "
            "keeps it does not restore all that it remembers",
            updates / 2, name);
    return fmt::format("a run that was stopped after {} updates and resumed has other parameters", updates / 2);
  }

  Value config_;
  const Registries& registries_;
  std::string folder_;
  CheckReport& report_;
};

}  // namespace

void check_run(const Value& config, const Registries& registries, const std::string& folder, CheckReport& report) {
  RunCheck(config, registries, folder, report).run();
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
