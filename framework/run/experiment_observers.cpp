// What a run measures.
#include <algorithm>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/core/about_so_long.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/run/experiment.hpp>
#include <harmonium/framework/run/sections.hpp>
#include <harmonium/framework/training/figure_observer.hpp>
#include <harmonium/framework/training/likelihood_at_end.hpp>
#include <harmonium/framework/training/metrics.hpp>
#include <harmonium/framework/training/sums_over_holes.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// What is measured in every run, where the model allows it.
constexpr const char* default_observers[] = {"log_likelihood", "pseudo_likelihood", "reconstruction_error",
                                             "classification", "free_energy_gap",   "gradient_norm",
                                             "weight_norms"};

/// What leaves out the observer at `place` of `own`, what a configuration has of them; empty where the command line gave it, on which
/// that is to be seen.
std::string how_to_leave_out(const Value& own, Index place) {
  const auto* list = std::get_if<Value::List>(&own.data);
  const Value& spec = list ? (*list)[place] : own;
  if (spec.where.starts_with("--")) return "";
  // Of a list that is empty then nothing would be measured, not what is usual.
  const bool alone = !list || list->size() == 1;
  return fmt::format(" To leave the observer out, add --set {} to the command.",
                     alone ? "observers=" : fmt::format("'observers[{}]='", place));
}

/// "which would take some 45 seconds of one core", of the observer that is as `spec` has it.
std::string why_not_at_end(const LogLikelihoodMetric& likelihood, const Value& spec) {
  const double speed = operations_in_a_second(std::get<std::string>(spec.find("log_z")->find("type")->data));
  const std::string time = about_so_long(likelihood.operations() / speed);
  return likelihood.exact() ? fmt::format("which would take some {} of one core", time)
                            : fmt::format("of which log Z would be an estimate, in some {} of one core", time);
}

}  // namespace

RunOutline Experiment::run_outline() const {
  const double operations = operations_per_update() * static_cast<double>(batches_->batches_per_epoch());
  return {*model_, run_data(), operations, estimator_->figures(*model_)};
}

void Experiment::tell_of_likelihoods() {
  const Index per_epoch = batches_->batches_per_epoch();
  const std::uint64_t updates = training_.total_updates(per_epoch), epochs = harmonium::epochs_of(updates, per_epoch);
  const double training = operations_per_update() * static_cast<double>(updates);
  const auto& specs = std::get<Value::List>(effective_.find("observers")->data);
  bool measured = false;
  for (std::size_t place = 0; place < observers_.size(); ++place) {
    const auto* likelihood = dynamic_cast<const LogLikelihoodMetric*>(observers_[place].second.get());
    if (!likelihood) continue;
    measured |= likelihood->every() <= epochs || likelihood->at_end(training);
    if (likelihood->every() <= epochs) continue;
    const std::string why = fmt::format("{}, and the run has {}", likelihood->pace(), epochs);
    if (likelihood->at_end(training)) {
      measured_last_.emplace_back("log_likelihood", why + ". Set its 'every' to have it along the run.");
      continue;
    }
    dear_likelihood_ = fmt::format(
        "{}. Nor is it of the model at the end, {}. Set its 'every', as in {}, or ask 'harmonium evaluate RUN' for it "
        "afterwards.",
        why, why_not_at_end(*likelihood, specs[place]),
        setting_of_every("log_likelihood", std::max<std::uint64_t>(1, epochs)));
    unmeasured_.emplace_back("log_likelihood", dear_likelihood_);
  }
  if (measured) dear_likelihood_.clear();
}

void Experiment::build_observers(const Value& config, const Registries& registries) {
  const RunOutline outline = run_outline();
  Value list;
  list.data = Value::List{};
  const auto add = [&](const Value& spec, const std::optional<std::string>& left_out_by) {
    Value effective;
    std::unique_ptr<Observer> observer = registries.make<Observer>(spec, effective);
    try {
      observer->begin(outline);
    } catch (const HolesRefused& error) {
      // No mistake of the configuration: it may have been written before the data, or the model, were what they are.
      if (left_out_by) left_out_.push_back(fmt::format("{}{} It is left out.", written_at(spec), error.what()));
      unmeasured_.emplace_back(std::get<std::string>(spec.find("type")->data), error.what());
      return;
    } catch (const CapabilityError& error) {
      if (left_out_by) throw CapabilityError(written_at(spec) + error.what() + *left_out_by);
      // Of what every run measures, what this model offers.
      unmeasured_.emplace_back(std::get<std::string>(spec.find("type")->data), error.what());
      return;
    }
    if (const auto* pseudo = dynamic_cast<const PseudoLikelihoodMetric*>(observer.get()))
      effective.set("units", make_value(static_cast<std::int64_t>(pseudo->units())));
    const Value& type = *effective.find("type");
    std::string name = std::get<std::string>(type.data);
    const auto taken = std::ranges::count_if(std::get<Value::List>(list.data),
                                             [&](const Value& other) { return *other.find("type") == type; });
    if (taken > 0) name += fmt::format("_{}", taken + 1);
    observers_.emplace_back(std::move(name), std::move(observer));
    std::get<Value::List>(list.data).push_back(std::move(effective));
  };

  const std::vector<Value> asked = tables_of(config, "observers");
  const auto type_of = [](const Value& spec) {
    const Value* type = spec.find("type");
    return type && type->is_string() ? std::get<std::string>(type->data) : std::string();
  };
  const Value* own = config.find("observers");
  const bool none = own && own->is_list() && asked.empty();  // observers = []: nothing is measured
  for (const char* name : default_observers) {
    if (none) break;
    const bool given = std::ranges::any_of(asked, [&](const Value& spec) { return type_of(spec) == name; });
    if (!given && registries.of<Observer>().entries().contains(name)) add(make_table({{"type", make_value(name)}}), {});
  }
  for (Index place = 0; place < asked.size(); ++place) add(asked[place], how_to_leave_out(*own, place));
  effective_.set("observers", std::move(list));
  tell_of_likelihoods();
  try {
    build_followers(config, outline);
  } catch (const ConfigError& error) {
    if (left_out_.empty()) throw;
    throw ConfigError(fmt::format("{} {}", error.what(), fmt::join(left_out_, " ")));
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
