#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include <harmonium/framework/run/experiment.hpp>
#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/framework/testing/differences.hpp>
#include <harmonium/framework/testing/log_partition_suite.hpp>
#include <harmonium/framework/testing/model_suite.hpp>
#include <harmonium/framework/testing/sampler_suite.hpp>
#include <harmonium/framework/testing/term_suite.hpp>
#include <harmonium/framework/testing/training_suite.hpp>
#include <harmonium/framework/testing/unit_suite.hpp>
#include <harmonium/program/work/commands.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Makes components as the registries do, and remembers every one, those inside of others too.
class Recorder final : public ComponentMaker {
 public:
  struct Made {
    std::string kind, name, where;
    Value spec;  ///< every default written out
  };
  explicit Recorder(const Registries& registries) : registries_(registries) {}
  void* make_component(std::string_view kind, const Value& spec, Value& effective) const override {
    void* made = registries_.make_component(kind, spec, effective, *this);
    const Value* type = effective.find("type");
    made_.push_back({std::string(kind), type ? std::get<std::string>(type->data) : "", spec.where, effective});
    return made;
  }
  const std::vector<Made>& made() const { return made_; }

 private:
  const Registries& registries_;
  mutable std::vector<Made> made_;
};

template <class I>
std::unique_ptr<I> make(const ComponentMaker& maker, const Value& spec) {
  Value effective;
  return std::unique_ptr<I>(static_cast<I*>(maker.make_component(I::kind, spec, effective)));
}

std::string name_of(const char* kind, const Value& spec) {
  const Value* type = spec.find("type");
  return fmt::format("{} '{}'", kind, type && type->is_string() ? std::get<std::string>(type->data) : "");
}

/// A whole number among the options of a component. In a list it may be kept as a real one.
struct WholeNumber {
  std::string path;
  Value* value;

  std::int64_t get() const {
    const auto* whole = std::get_if<std::int64_t>(&value->data);
    return whole ? *whole : static_cast<std::int64_t>(std::get<double>(value->data));
  }
  void set(std::int64_t to) const {
    if (std::holds_alternative<double>(value->data)) value->data = static_cast<double>(to);
    else value->data = to;
  }
};

void find_numbers(Value& value, const std::string& path, std::vector<WholeNumber>& out) {
  if (value.is_table()) {
    for (auto& [key, inner] : std::get<Value::Table>(value.data))
      find_numbers(inner, path.empty() ? key : path + "." + key, out);
  } else if (value.is_list()) {
    Index i = 0;
    for (Value& inner : std::get<Value::List>(value.data)) find_numbers(inner, fmt::format("{}[{}]", path, i++), out);
  } else if (const auto* real = std::get_if<double>(&value.data)) {
    if (*real == std::floor(*real) && std::abs(*real) < 1e9) out.push_back({path, &value});
  } else if (std::holds_alternative<std::int64_t>(value.data)) {
    out.push_back({path, &value});
  }
}

/// log₂ of the number of states, a continuous unit counting as two; nothing where there is no such model.
std::optional<double> size_of(const Registries& registries, const Value& spec) {
  try {
    const auto model = make<EnergyModel>(registries, spec);
    double bits = 0.0;
    for (const Layer& layer : model->layout().layers())
      bits += static_cast<double>(layer.size) * std::log2(std::max(2.0, static_cast<double>(layer.unit->num_states())));
    return bits;
  } catch (const std::exception&) {
    return {};
  }
}

/// The model's table with the numbers that its size goes by made smaller, the largest first, until its states can be
/// added up; which they are is found by trying. `changes` says what became of them.
Value shrunk(const Registries& registries, const Value& spec, std::string& changes) {
  constexpr double aim = 9.0;
  Value small = spec;
  std::vector<WholeNumber> numbers;
  find_numbers(small, "", numbers);
  std::vector<std::int64_t> before;
  for (const auto& number : numbers) before.push_back(number.get());
  std::optional<double> size = size_of(registries, small);
  for (bool smaller = true; smaller && size && *size > aim;) {
    smaller = false;
    std::ranges::stable_sort(numbers, std::greater{}, &WholeNumber::get);
    for (const auto& number : numbers) {
      const std::int64_t old = number.get();
      for (const std::int64_t next : {(old + 1) / 2, (old + 1) / 2 + 1, old - 2, old - 1}) {
        if (next < 1 || next >= old) continue;
        number.set(next);
        const std::optional<double> other = size_of(registries, small);
        smaller = other && *other < *size;
        if (smaller) size = other;
        if (smaller) break;
        number.set(old);
      }
      if (smaller) break;
    }
  }
  numbers.clear();
  find_numbers(small, "", numbers);
  for (Index i = 0; i < numbers.size(); ++i)
    if (numbers[i].get() != before[i])
      changes += fmt::format("{}{} = {} (configured: {})", changes.empty() ? "" : ", ", numbers[i].path,
                             numbers[i].get(), before[i]);
  return small;
}

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
    training.erase("num_epochs");
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

std::vector<CheckResult> check(const TrainRequest& request, const Registries& builtin) {
  using namespace conformance;
  const Registries registries = with_plugins(builtin, request, request.config);
  const Executor executor(request.threads, request.stop);
  Value config = request.config;
  if (request.seed) config.set("seed", make_value(static_cast<std::int64_t>(*request.seed)));
  // What cannot be assembled is told as train would.
  const Value effective = Experiment(config, registries, request.config_folder, executor).effective_config();
  const auto progress = [&](const std::string& what) {
    executor.check_stop();
    if (request.display) request.display->progress(0.0, "checking " + what);
  };

  CheckReport report;
  const auto subject = [&](const std::string& name, const std::string& where) {
    progress(name);
    report.subject(where.empty() ? name : fmt::format("{} ({})", name, where));
  };
  // What a component throws while it is used is a fault of its own; the others are checked all the same.
  const auto guarded = [&](const auto& checks) {
    try {
      checks();
    } catch (const Stopped&) {
      throw;
    } catch (const std::exception& error) {
      report.add(CheckOutcome::failed, "no exception while it is used", error.what());
    }
  };
  const auto where = [&](const char* section) { return config.find(section) ? config.find(section)->where : ""; };

  std::string changes;
  const Value spec = shrunk(registries, *effective.find("model"), changes);
  const std::unique_ptr<EnergyModel> model = make<EnergyModel>(registries, spec);
  const Layout& layout = model->layout();
  subject(name_of("model", spec), where("model"));
  if (!changes.empty())
    report.add(CheckOutcome::noted, "size",
               "what follows is checked on a smaller model, whose states can be added up: " + changes + ".");
  else if (layout.log2_states(layout.all()) > most_enumerated)
    report.add(
        CheckOutcome::noted, "size",
        std::isinf(layout.log2_states(layout.all()))
            ? std::string("it has continuous units, so that what takes sums over all states is skipped.")
            : std::string("no option makes it small enough to add up all states, so that what takes that is skipped."));
  guarded([&] { check_model(*model, report); });

  const Recorder of_model(registries);
  make<EnergyModel>(of_model, spec);
  std::vector<std::string> terms;
  for (const auto& made : of_model.made()) {
    if (made.kind != EnergyTerm::kind || std::ranges::find(terms, made.name) != terms.end()) continue;
    terms.push_back(made.name);
    subject(name_of("term", made.spec), "");
    guarded([&] { check_term([&] { return make<EnergyTerm>(registries, made.spec); }, layout, report); });
  }

  std::vector<std::string> units;
  for (const Layer& layer : layout.layers()) {
    const std::string name(layer.unit->name());
    if (std::ranges::find(units, name) != units.end()) continue;
    units.push_back(name);
    subject(fmt::format("unit '{}'", name), "");
    guarded([&] { check_unit(*layer.unit, report); });
  }

  const Recorder recorder(registries);
  const Value& estimator = *effective.find("estimator");
  make<GradientEstimator>(recorder, estimator);
  if (const Value* own = config.find("estimator")) make<GradientEstimator>(recorder, *own);  // with its places
  std::vector<Value> samplers;
  for (auto made = recorder.made().rbegin(); made != recorder.made().rend(); ++made) {
    if (made->kind != Sampler::kind || std::ranges::find(samplers, made->spec) != samplers.end()) continue;
    samplers.push_back(made->spec);
    subject(name_of("sampler", made->spec), made->where);
    guarded([&] { check_sampler([&] { return make<Sampler>(registries, made->spec); }, *model, report); });
  }

  subject(name_of("estimator", estimator), where("estimator"));
  guarded([&] { check_estimator([&] { return make<GradientEstimator>(registries, estimator); }, *model, report); });
  const Value& optimizer = *effective.find("optimizer");
  subject(name_of("optimizer", optimizer), where("optimizer"));
  guarded([&] { check_optimizer([&] { return make<Optimizer>(registries, optimizer); }, *model, report); });
  for (const Value& regularizer : std::get<Value::List>(effective.find("regularizers")->data)) {
    subject(name_of("regularizer", regularizer), "");
    guarded([&] { check_regularizer(*make<Regularizer>(registries, regularizer), *model, report); });
  }

  // Observers are no parts of what is trained; the log Z that they go by is what it is judged by.
  const Recorder of_observers(registries);
  for (const Value& observer : std::get<Value::List>(effective.find("observers")->data))
    make<Observer>(of_observers, observer);
  std::vector<Value> partitions;
  for (const auto& made : of_observers.made()) {
    if (made.kind != LogPartition::kind || std::ranges::find(partitions, made.spec) != partitions.end()) continue;
    partitions.push_back(made.spec);
    subject(name_of("log_partition", made.spec), made.where);
    guarded([&] { check_log_partition(*make<LogPartition>(registries, made.spec), *model, report); });
  }

  progress("the run");
  RunCheck(config, registries, request.config_folder, report).run();
  if (request.display) request.display->finish();
  return report.results();
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
