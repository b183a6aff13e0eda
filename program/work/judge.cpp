#include <harmonium/program/work/judge.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/execution/part_of_work.hpp>
#include <harmonium/framework/inference/classification.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/inference/stacked_machines.hpp>
#include <harmonium/framework/run/column_names.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/framework/run/unseen_classes.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/program/work/betas.hpp>
#include <harmonium/program/work/columns_by_name.hpp>
#include <harmonium/program/work/command_options.hpp>
#include <harmonium/program/work/composed_figures.hpp>
#include <harmonium/program/work/data_argument.hpp>
#include <harmonium/program/work/data_remarks.hpp>
#include <harmonium/program/work/data_spec.hpp>
#include <harmonium/program/work/due_effort.hpp>
#include <harmonium/program/work/energies_of_rows.hpp>
#include <harmonium/program/work/ground_state_file.hpp>
#include <harmonium/program/work/own_data.hpp>
#include <harmonium/program/work/own_parts.hpp>
#include <harmonium/program/work/row_figures.hpp>
#include <harmonium/program/work/row_work.hpp>
#include <harmonium/program/work/rows_as_given.hpp>
#include <harmonium/program/work/table_samples.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

double share_of_model(double of_model, double of_rows) {
  constexpr double least = 0.05, most = 0.8;
  return of_rows > 0.0 ? std::clamp(of_model / (of_model + of_rows), least, most) : most;
}

Judge::Judge(const EvaluateRequest& request, const Registries& builtin)
    : request_(request),
      header_(read_model_header(request.model)),
      registries_(with_plugins(builtin, request, header_)),
      options_(command_options(request.set, {"data", "log_z"})),
      model_(load_model(request.model, header_, registries_)),
      executor_(request.threads, request.stop),
      random_(random_of(request, header_.config)),
      execution_{executor_, random_.child(request.stream), request.display},
      transform_(load_transform(request.model)),
      due_(with_due_effort(request, options_, *model_, registries_)),
      way_(due_, options_, *model_, registries_),
      first_machine_(request, options_, *model_, registries_) {
  check_laws_at_zero({request.beta}, model_->layout(), request.stream == "against" ? "--against" : "--beta",
                     "Take a beta above 0.");
  check_split(request.split, request.data, options_);
  if (!request.ground_state.empty()) {
    check_ground_state_form(request, header_, model_->layout());
    way_.check_ground_state(*model_, request);
  }
  if (transform_) transform_ = of_observed(transform_, model_->layout(), request.model);
  const auto compared = static_cast<bool>(request.rows_judged);
  if (!request.bound_alone || (!compared && !request.rows.empty())) check_row_by_row();
  if (!compared && !request.rows.empty() && leaves_sums())
    throw ConfigError(
        "--bound: it leaves out the sums over latent units of rows, which the figures of each row are. Leave out "
        "--rows or --bound.");
  if (request.holds_units()) held_.emplace(request, header_, *model_);
  else if (!request.clamp.empty()) conditional_.emplace(request, header_, *model_);
  absent_.labels = offers_classification(*model_, label_layer);
  if (const StackedMachines* const stack = stacked_machines(*model_))
    absent_.stack_labels = offers_classification(stack->machine(0), label_layer);
}

void Judge::check_row_by_row() const {
  if (!request_.row_by_row() || offers_free_energy(*model_)) return;
  const auto compared = static_cast<bool>(request_.rows_judged);
  throw CapabilityError(
      fmt::format("{}: the model has no figure of a single row: its latent units are coupled given the observed "
                  "ones, and too many to enumerate. {}",
                  compared ? request_.model : "--rows " + request_.rows,
                  compared ? "Add --bound to hold its variational bound against the other model's likelihood."
                           : "Without --rows the mean over rows is estimated."));
}

std::optional<Dataset> Judge::named_data() {
  const DataArgument given = data_argument(request_.data, options_, registries_);
  const Value spec = data_spec(header_, model_->layout(), given.file, given.options, request_.display);
  if (!spec.is_table()) return {};
  spec_ = spec;
  const Layout& layout = model_->layout();
  Dataset data = load_partial_rows(request_.model, spec, layout, registries_, random_.child("data"));
  tell_of_states(data, layout, request_.display);
  tell_of_rows_at_random(spec, data, request_.display);
  if (!request_.rows.empty()) name_rows(named_, data, spec_);
  draws_bits_ = draws_bits(data);
  if (data.cols() < layout.columns(layout.observed())) data = fitted(with_unseen_classes(data, layout), layout);
  if (const std::string remark = far_value_remark(data, layout); request_.display && !remark.empty())
    request_.display->warn(remark);
  const Index without = absent_.labels ? rows_without_class(data, layout) : 0;
  absent_.no_classes_seen = without == data.rows();
  if (without > 0 && request_.display)
    request_.display->warn(fmt::format(
        "{}: {} no class; likelihoods are of the rest, summed over the classes.{}", data.name(),
        without == data.rows() ? std::string("the rows have") : fmt::format("{} of {} rows have", without, data.rows()),
        without == data.rows() ? way_to_give_classes(spec_, given.options, registries_) : ""));
  return data;
}

DataSplits Judge::data_of_run() {
  const std::string& model = request_.rows_of.empty() ? request_.model : request_.rows_of;
  const Value config = request_.rows_of.empty() ? header_.config : read_model_header(model).config;
  DataSplits own = own_data(model, config, model_->layout(), registries_,
                            "To judge other rows add --data FILE; name model.h5 itself for log Z alone.");
  spec_ = *config.find("data");
  if (const std::string weights = weights_setting(config); !weights.empty() && request_.display)
    request_.display->warn(fmt::format(
        "the run gave its rows weights ({}), and the figures of rows weigh all alike. --rows FILE has those of each.",
        weights));
  return own;
}

void Judge::expect_rows(Index rows) {
  num_rows_ = rows;
  const double of_rows = leaves_sums() ? 0.0 : seconds_of_row(*model_) * static_cast<double>(rows);
  share_of_model_ = share_of_model(way_.seconds(), of_rows);
}

Evaluation Judge::of_model() {
  Evaluation result;
  const DataUnits units = data_units();
  if (const std::string name = units.name(); !name.empty()) {
    result.units = name;
    result.log_jacobian = units.log_jacobian();
  }
  const double own = first_machine_.any() ? 0.75 * share_of_model_ : share_of_model_;
  const double of_log_z = own * way_.share_of_log_z();
  PartOfWork stack(execution_.display, 0.0, of_log_z, "log Z"), energy(execution_.display, of_log_z, own, "<E>"),
      first(execution_.display, own, share_of_model_, "log Z of the first machine");
  stack.progress(0.0, "");
  std::optional<Chains> ground_state;
  const TakenTime time;
  if (auto found = way_.estimate(*model_, request_.beta, part("log_z", stack), absent_.log_z)) {
    take_log_z(*found, result, absent_);
    const TimeTaken taken = time.of(random_.seed);
    result.advice = way_.advice(*found, taken);
    result.annealed = way_.annealed(taken);
    ground_state = std::move(found->ground_state);
    // The draws of a stack are those of its top machine.
    if (request_.keeps_draws && found->draws && !stacked_machines(*model_))
      result.draws = std::make_shared<CertifiedRows>(rows_of(*found->draws, *model_));
  }
  if (request_.log_z_alone) absent_.energy = "--no-moments leaves it out.";
  if (held_)
    absent_.energy = "it is that of the model, without --clamp. 'harmonium observe --clamp' has it given those.";
  if (auto found = request_.wants_energy() ? way_.energy(*model_, request_.beta, part("energy", energy), absent_.energy)
                                           : std::nullopt) {
    result.mean_energy = found->mean;
    result.heat_capacity = request_.beta * request_.beta * found->variance;
    if (result.log_z) result.entropy = *result.log_z + request_.beta * found->mean;
    if (!std::isnan(found->least)) {
      result.ground_state_energy = found->least;
      result.ground_state_certain = true;
      ground_state = std::move(found->ground_state);
    }
  }
  check_finite(result, request_.beta);
  if (!request_.ground_state.empty())
    write_ground_state(request_, result, ground_state, model_->layout(), header_, units);
  first_machine_.find_log_z(part("first_machine", first));
  return result;
}

Evaluation Judge::of(const Dataset& data, Evaluation result, const std::string& rows_in_words, Index before) const {
  Absent absent = absent_;
  const double share = (1.0 - share_of_model_) / static_cast<double>(num_rows_);
  PartOfWork shown(execution_.display, share_of_model_ + static_cast<double>(before) * share,
                   share_of_model_ + static_cast<double>(before + data.rows()) * share, rows_in_words);
  Execution execution = execution_;
  execution.display = &shown;
  result.num_samples = data.rows();
  absent.probability = has_probability(data, model_->layout());
  if (!absent.probability && request_.display)
    request_.display->warn(
        "the data holds values between the units' states: they have no likelihood. Set data.binarize to have one.");
  if (before == 0 && request_.display && (draws_bits_ || draws_bits(data)))
    request_.display->warn(drawn_bits_remark(header_.config, draws_bits_));
  RowTable table = named_;
  const RowFigures rows = judge_rows(due_, *model_, data, absent.probability, way_, registries_, execution, result,
                                     request_.row_by_row() ? &table : nullptr);
  absent.whole = rows.seen.empty();
  absent.no_sums = leaves_sums();
  absent.free_energy = rows.no_log_sums;
  if (rows.log_sums) take_rows(*rows.log_sums, result, absent);
  add_advice(rows.advice, result);
  if (rows.variational_bound) compose_bound(*rows.variational_bound, rows.bound_error, result);
  if (absent.probability) compose_likelihood(result);
  if (absent.probability && absent.whole) first_machine_.judge(data, execution, result);
  if (!absent.whole && result.units != "data") result.log_jacobian = data_units().log_jacobian(rows.seen);
  check_finite(result, request_.beta);
  give_reasons(result, absent);
  if (conditional_) conditional_->judge(data, data_units(), absent.probability, execution, result, table);
  if (request_.row_by_row()) tell_rows(data, std::move(table), rows_in_words, absent.probability, result);
  return result;
}

void Judge::tell_rows(const Dataset& data, RowTable table, const std::string& rows_in_words, bool probability,
                      const Evaluation& result) const {
  if (table.row.empty()) name_rows(table, data, spec_);
  name_predicted(table, class_words(header_.config));
  if (!request_.rows.empty()) write_rows(request_.rows, table, probability ? result.log_z : std::nullopt);
  if (!request_.rows_judged) return;
  const Layout& layout = model_->layout();
  std::vector<std::string> names = names_of_observed(header_, layout);
  if (names.empty()) names = names_of_units(layout, layout.observed());
  JudgedRows rows = rows_as_given(rows_in_words, std::move(table), data, data_units(), layout, names);
  rows.drawn |= draws_bits_;
  request_.rows_judged(rows);
}

Evaluation Judge::without_data(Evaluation result, Parts parts) const {
  Absent absent = absent_;
  if (parts == Parts::yes) absent.no_data = "there is one for each part of the run's data: see splits.";
  give_reasons(result, absent);
  if (!held_) return result;
  PartOfWork shown(execution_.display, share_of_model_, 1.0, "log Z of what is free");
  held_->judge(way_, part("held", shown), result);
  return result;
}

Execution Judge::part(const char* name, Display& display) const {
  Execution own = execution_.part(name);
  own.display = &display;
  return own;
}

bool Judge::leaves_sums() const { return request_.bound_alone && sums_states_row_by_row(*model_, request_.beta); }

DataUnits Judge::data_units() const {
  return {spec_.is_table() ? &spec_ : header_.config.find("data"), transform_, model_->layout()};
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
