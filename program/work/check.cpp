#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <harmonium/framework/inference/stacked_machines.hpp>
#include <harmonium/framework/run/experiment.hpp>
#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/framework/testing/log_partition_suite.hpp>
#include <harmonium/framework/testing/model_suite.hpp>
#include <harmonium/framework/testing/sampler_suite.hpp>
#include <harmonium/framework/testing/term_suite.hpp>
#include <harmonium/framework/testing/training_suite.hpp>
#include <harmonium/framework/testing/unit_suite.hpp>
#include <harmonium/program/work/commands.hpp>
#include <harmonium/program/work/component_recorder.hpp>
#include <harmonium/program/work/run_check.hpp>
#include <harmonium/program/work/shrunk_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

using namespace conformance;

std::string name_of(const char* kind, const Value& spec) {
  const Value* type = spec.find("type");
  return fmt::format("{} '{}'", kind, type && type->is_string() ? std::get<std::string>(type->data) : "");
}

/// Checks the parts of a run one after the other.
class PartsCheck {
 public:
  PartsCheck(const TrainRequest& request, const Value& config, const Value& effective, const Registries& registries,
             const Executor& executor, CheckReport& report)
      : request_(request),
        config_(config),
        effective_(effective),
        registries_(registries),
        executor_(executor),
        report_(report),
        spec_(shrunk_model(registries, *effective.find("model"), changes_)),
        of_model_(registries),
        model_(make_of<EnergyModel>(of_model_, spec_)) {}

  void run() {
    check_whole_model();
    check_terms();
    check_units();
    check_samplers();
    check_training();
    check_partitions();
  }
  void progress(const std::string& what) const {
    executor_.check_stop();
    if (request_.display) request_.display->progress(0.0, "checking " + what);
  }

 private:
  void subject(const std::string& name, const std::string& where = "") {
    progress(name);
    report_.subject(where.empty() ? name : fmt::format("{} ({})", name, where));
  }
  /// What a component throws while it is used is a fault of its own; the others are checked all the same.
  template <class Checks>
  void guarded(const Checks& checks) {
    try {
      checks();
    } catch (const Stopped&) {
      throw;
    } catch (const std::exception& error) {
      report_.add(CheckOutcome::failed, "no exception while it is used", error.what());
    }
  }
  std::string where(const char* section) const { return config_.find(section) ? config_.find(section)->where : ""; }

  void check_whole_model();
  void check_terms();
  void check_units();
  void check_samplers();
  void check_training();
  void check_partitions();

  const TrainRequest& request_;
  const Value &config_, &effective_;
  const Registries& registries_;
  const Executor& executor_;
  CheckReport& report_;
  std::string changes_;
  Value spec_;
  ComponentRecorder of_model_;
  std::unique_ptr<EnergyModel> model_;
};

void PartsCheck::check_whole_model() {
  const Layout& layout = model_->layout();
  subject(name_of("model", *config_.find("model")), where("model"));  // by the name that it was given
  if (!changes_.empty())
    report_.add(CheckOutcome::noted, "size",
                "what follows is checked on a smaller model, whose states can be added up: " + changes_ + ".");
  else if (layout.log2_states(layout.all()) > most_enumerated)
    report_.add(
        CheckOutcome::noted, "size",
        std::isinf(layout.log2_states(layout.all()))
            ? std::string("it has continuous units, so that what takes sums over all states is skipped.")
            : std::string("no option makes it small enough to add up all states, so that what takes that is skipped."));
  guarded([&] { check_model(*model_, report_); });
}

/// The layers that a term is of: those of the model, or, of a stack, of the first machine that has all that it names.
const Layout& layout_of_term(const EnergyModel& model, const Value& term) {
  const StackedMachines* stack = stacked_machines(model);
  if (!stack) return model.layout();
  std::vector<Value> names;
  if (const Value* layer = term.find("layer")) names.push_back(*layer);
  if (const Value* layers = term.find("layers"))
    if (const auto* list = std::get_if<Value::List>(&layers->data))
      names.insert(names.end(), list->begin(), list->end());
  for (Index k = 0; k < stack->num_machines(); ++k) {
    const PerLayer<Layer>& own = stack->machine(k).layout().layers();
    const bool has_all = std::ranges::all_of(names, [&](const Value& name) {
      return std::ranges::any_of(own, [&](const Layer& layer) { return name == make_value(layer.name); });
    });
    if (has_all) return stack->machine(k).layout();
  }
  return model.layout();
}

void PartsCheck::check_terms() {
  std::vector<Value> terms;
  for (const auto& made : of_model_.made()) {
    if (made.kind != EnergyTerm::kind || std::ranges::find(terms, made.spec) != terms.end()) continue;
    terms.push_back(made.spec);
    subject(name_of("term", made.spec), made.where);
    const Layout& layout = layout_of_term(*model_, made.spec);
    guarded([&] { check_term([&] { return make_of<EnergyTerm>(registries_, made.spec); }, layout, report_); });
  }
}

void PartsCheck::check_units() {
  std::vector<std::string> units;
  for (const Layer& layer : model_->layout().layers()) {
    const std::string name(layer.unit->name());
    if (std::ranges::find(units, name) != units.end()) continue;
    units.push_back(name);
    subject(fmt::format("unit '{}'", name));
    guarded([&] { check_unit(*layer.unit, report_); });
  }
}

void PartsCheck::check_samplers() {
  const ComponentRecorder recorder(registries_);
  make_of<GradientEstimator>(recorder, *effective_.find("estimator"));
  if (const Value* own = config_.find("estimator")) make_of<GradientEstimator>(recorder, *own);  // with its places
  std::vector<Value> samplers;
  for (auto made = recorder.made().rbegin(); made != recorder.made().rend(); ++made) {
    if (made->kind != Sampler::kind || std::ranges::find(samplers, made->spec) != samplers.end()) continue;
    samplers.push_back(made->spec);
    subject(name_of("sampler", made->spec), made->where);
    guarded([&] { check_sampler([&] { return make_of<Sampler>(registries_, made->spec); }, *model_, report_); });
  }
}

void PartsCheck::check_training() {
  const Value &estimator = *effective_.find("estimator"), &optimizer = *effective_.find("optimizer");
  subject(name_of("estimator", estimator), where("estimator"));
  guarded(
      [&] { check_estimator([&] { return make_of<GradientEstimator>(registries_, estimator); }, *model_, report_); });
  subject(name_of("optimizer", optimizer), where("optimizer"));
  guarded([&] { check_optimizer([&] { return make_of<Optimizer>(registries_, optimizer); }, *model_, report_); });
  for (const Value& regularizer : std::get<Value::List>(effective_.find("regularizers")->data)) {
    subject(name_of("regularizer", regularizer));
    guarded([&] { check_regularizer(*make_of<Regularizer>(registries_, regularizer), *model_, report_); });
  }
}

/// Observers are no parts of what is trained; the log Z that they go by is what it is judged by.
void PartsCheck::check_partitions() {
  const ComponentRecorder recorder(registries_);
  for (const Value& observer : std::get<Value::List>(effective_.find("observers")->data))
    make_of<Observer>(recorder, observer);
  std::vector<Value> partitions;
  for (const auto& made : recorder.made()) {
    if (made.kind != LogPartition::kind || std::ranges::find(partitions, made.spec) != partitions.end()) continue;
    partitions.push_back(made.spec);
    subject(name_of("log_partition", made.spec), made.where);
    guarded([&] { check_log_partition(*make_of<LogPartition>(registries_, made.spec), *model_, report_); });
  }
}

}  // namespace

std::vector<CheckResult> check(const TrainRequest& request, const Registries& builtin) {
  const Registries registries = with_plugins(builtin, request, request.config);
  const Executor executor(request.threads, request.stop);
  Value config = request.config;
  if (request.seed) config.set("seed", make_value(static_cast<std::int64_t>(*request.seed)));
  // What cannot be assembled is told as train would.
  const Value effective = Experiment(config, registries, request.config_folder, executor).effective_config();
  CheckReport report;
  PartsCheck parts(request, config, effective, registries, executor, report);
  parts.run();
  parts.progress("the run");
  check_run(config, registries, request.config_folder, report);
  if (request.display) request.display->finish();
  return report.results();
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
