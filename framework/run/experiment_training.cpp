// How a run trains: what moves θ, the options of [training], and what follows the figures that are measured.
#include <algorithm>

#include <fmt/format.h>

#include <harmonium/framework/config/spelled_out.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/run/experiment.hpp>
#include <harmonium/framework/run/sections.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// The table of `stop_early` or `keep_best`, for which the name of a figure may stand.
Value figure_table(Value given, const char* name) {
  Value table = spelled_out(std::move(given), "metric");
  if (!table.is_table())
    throw ConfigError(
        fmt::format("{}training: option '{}' must be the name of a figure, as in {} = \"pseudo_log_likelihood\", or a "
                    "table with a 'metric', not {}.",
                    written_at(table), name, name, table.type_name()));
  return table;
}

}  // namespace

void Experiment::build_training(const Value& config, const Registries& registries) {
  const auto make = [&]<class I>(std::unique_ptr<I>& slot, const char* name, const char* fallback, const char* why) {
    Value effective;
    slot = registries.make<I>(section(config, name, fallback, why), effective);
    effective_.set(name, std::move(effective));
  };

  make(estimator_, "estimator", "", "say how the gradient is estimated, with a 'type' such as \"cd\" or \"pcd\"");
  make(optimizer_, "optimizer", "sgd", "");
  Value regularizers;
  regularizers.data = Value::List{};
  for (const Value& spec : tables_of(config, "regularizers")) {
    Value effective;
    regularizers_.push_back(registries.make<Regularizer>(spec, effective));
    std::get<Value::List>(regularizers.data).push_back(std::move(effective));
  }
  effective_.set("regularizers", std::move(regularizers));
  const Value* given = config.find("training");
  Value table = given ? *given : make_table();
  for (const char* name : {"stop_early", "keep_best"})
    if (Value* figure = table.find(name)) *figure = figure_table(std::move(*figure), name);
  effective_.set("training", read_options(table, "training", training_));
  if (training_.shards > 1 || ranks_.size() > 1) cut_into_shards(config, registries);
}

void Experiment::settle_training() {
  constexpr Index usual_batch = 100, usual_epochs = 10;
  const Index rows = data_->train.rows();
  if (!training_.batch_size) training_.batch_size = std::min(usual_batch, rows);
  if (!training_.num_epochs && !training_.num_updates) training_.num_epochs = usual_epochs;
  write_training();
}

void Experiment::write_training() {
  // Written as it is read, keys in their order: the same run has the same file.
  Value table = write_options([&](OptionBinder& binder) { training_.bind(binder); });
  if (!training_.stop_early.follow.metric) table.erase("stop_early");
  if (training_.shards == 1) table.erase("shards");
  if (!training_.keep_best.follow.metric) table.erase("keep_best");
  effective_.set("training", std::move(table));
}

void Experiment::build_followers(const Value& config, const RunOutline& outline) {
  figures_ = figures_of(observers_, outline);
  const Index per_epoch = batches_->batches_per_epoch();
  check_options(written_option(config, "training", "stop_early"), "training",
                [&] { stop_early_ = training_.make_early_stopping(figures_, per_epoch); });
  check_options(written_option(config, "training", "keep_best"), "training",
                [&] { best_ = training_.make_best_model(figures_, per_epoch); });
  write_training();
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
