#include <harmonium/framework/run/experiment.hpp>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/data/sources.hpp>
#include <harmonium/framework/files/model_header.hpp>
#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/framework/training/metrics.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr const char* sections[] = {"seed",      "precision",    "plugins",  "data",        "model",     "estimator",
                                    "optimizer", "regularizers", "training", "initializer", "observers", "pictures"};

/// What is measured in every run, where the model allows it.
constexpr const char* default_observers[] = {"log_likelihood", "pseudo_likelihood", "reconstruction_error",
                                             "classification", "free_energy_gap",   "gradient_norm",
                                             "weight_norms"};

constexpr const char* whose_memory = "training";

struct GeneralOptions {
  std::uint64_t seed = 1;
  std::string precision = "float32";
  std::vector<std::string> plugins;
  void bind(OptionBinder& o) {
    o.option("seed", seed, "seed of every random word of the run", at_least(0));
    o.option("precision", precision, "of the run's numbers: float32 or float64; likelihoods are always in the latter");
    o.option("plugins", plugins, "plugins to load, by name");
  }
};

std::string place(const Value& v) { return v.where.empty() ? "" : v.where + ": "; }

void check_sections(const Value& config) {
  if (!config.is_table()) throw ConfigError(place(config) + "a configuration is a table");
  const std::vector<std::string> known(std::begin(sections), std::end(sections));
  for (const auto& [key, value] : std::get<Value::Table>(config.data)) {
    if (std::ranges::find(known, key) != known.end()) continue;
    throw ConfigError(fmt::format("{}unknown section '{}'{}. Known: {}.", place(value), key, did_you_mean(key, known),
                                  fmt::join(known, ", ")));
  }
}

/// The table `name`, or an empty one where it is absent and `fallback_type` says what it then is.
Value section(const Value& config, std::string_view name, std::string_view fallback_type, const char* why) {
  if (const Value* found = config.find(name)) {
    if (!found->is_table())
      throw ConfigError(fmt::format("{}[{}] must be a table, not {}.", place(*found), name, found->type_name()));
    Value table = *found;
    if (!table.find("type") && !fallback_type.empty()) table.set("type", make_value(std::string(fallback_type)));
    return table;
  }
  if (fallback_type.empty())
    throw ConfigError(fmt::format("{}the table [{}] is missing: {}.", place(config), name, why));
  return make_table({{"type", make_value(std::string(fallback_type))}});
}

/// The tables of a list such as [[observers]].
std::vector<Value> tables_of(const Value& config, std::string_view name) {
  const Value* found = config.find(name);
  if (!found) return {};
  if (!found->is_list())
    throw ConfigError(fmt::format("{}'{}' must be a list of tables: write [[{}]].", place(*found), name, name));
  return std::get<Value::List>(found->data);
}

/// Makes of a relative path one from `folder`, or, where it was given on the command line, from the present one.
void make_absolute(Value* path, const std::string& folder) {
  if (!path || !path->is_string()) return;
  auto& text = std::get<std::string>(path->data);
  if (text.empty() || std::filesystem::path(text).is_absolute()) return;
  const bool from_command_line = path->where.starts_with("--");
  const std::filesystem::path base =
      from_command_line || folder.empty() ? std::filesystem::current_path() : std::filesystem::absolute(folder);
  text = (base / text).lexically_normal().string();
}

/// Of an item of [[model.masks]], the keys that are paths.
constexpr const char* mask_path_keys[] = {"edges", "matrix"};

/// [model] with the files of its masks named from the root.
Value absolute_mask_paths(const Value& model, const std::string& folder) {
  Value result = model;
  if (Value* masks = result.find("masks"); masks && masks->is_list())
    for (Value& mask : std::get<Value::List>(masks->data))
      for (const char* key : mask_path_keys) make_absolute(mask.find(key), folder);
  return result;
}

/// The file that an item of [[model.masks]] names; empty where it names none.
std::string file_of(const Value& mask) {
  for (const char* key : mask_path_keys)
    if (const Value* path = mask.find(key); path && path->is_string() && !std::get<std::string>(path->data).empty())
      return std::get<std::string>(path->data);
  return "";
}

/// [model] without the masks whose files are gone.
Value without_lost_masks(Value model) {
  if (Value* masks = model.find("masks"); masks && masks->is_list())
    std::erase_if(std::get<Value::List>(masks->data), [](const Value& mask) {
      const std::string file = file_of(mask);
      return !file.empty() && !std::filesystem::exists(file);
    });
  return model;
}

/// Where the mask of a tensor, as a configuration's file has it, is another than the run's own: which pairs of units.
std::string difference(const ParameterBlock& block, const Layout& layout, const std::vector<std::uint8_t>& own) {
  const Index high = layout[block.layers[0]].unit->width(), wide = layout[block.layers[1]].unit->width();
  const bool lateral = block.symmetry == Symmetry::symmetric_zero_diagonal;
  std::string first;
  Index pairs = 0;
  for (Index i = 0; i < block.rows; i += high) {
    for (Index j = lateral ? i + high : 0; j < block.cols; j += wide) {
      const Index at = i * block.cols + j;
      if ((*block.mask)[at] == own[at]) continue;
      if (pairs++ == 0)
        first = fmt::format("the run {} units {} and {} (counted from 0), and this file {}",
                            own[at] != 0 ? "couples" : "does not couple", i / high, j / wide,
                            own[at] != 0 ? "does not" : "does");
    }
  }
  return fmt::format("{}; {} such pair{} in all", first, pairs, pairs == 1 ? "" : "s");
}

/// Gives `model`, made of the table `spec`, the masks that `stored`, a model file of its run, has. Throws ConfigError where
/// the model has read others from the files of the configuration.
void take_masks(const std::filesystem::path& stored, const Value& spec, EnergyModel& model) {
  for (auto& [position, own] : load_masks(stored, model.parameter_layout())) {
    const ParameterBlock& block = model.parameter_layout()[position];
    if (!block.mask) {
      model.set_mask(position, std::move(own));
      continue;
    }
    if (*block.mask == own) continue;
    std::string file = "a mask";
    for (const Value& mask : tables_of(spec, "masks"))
      if (const Value* coupling = mask.find("coupling");
          coupling && coupling->is_string() && block.name == "weight." + std::get<std::string>(coupling->data))
        file = place(mask) + file_of(mask);
    throw ConfigError(fmt::format(
        "{}: it has changed since the run began: {}. Put it back as it was, remove it (the run keeps a copy "
        "in {}), or start a new run.",
        file, difference(block, model.layout(), own), stored.string()));
  }
}

}  // namespace

Value absolute_data_paths(const Value& data, const std::string& folder) {
  Value result = data;
  for (const char* key : data_path_keys) make_absolute(result.find(key), folder);
  return result;
}

void check_purposes(const Value& effective) {
  std::map<std::uint64_t, std::string> seen;
  const auto visit = [&](auto&& self, const Value& table, const std::string& path) -> void {
    for (const auto& [key, value] : std::get<Value::Table>(table.data)) {
      if (!value.is_table()) continue;
      const std::string own = path.empty() ? key : path + "/" + key;
      const auto [at, added] = seen.try_emplace(purpose_of(own), own);
      if (!added)
        throw ConfigError(
            fmt::format("'{}' and '{}' would draw the same random words (their names have one hash). Rename "
                        "one.",
                        at->second, own));
      self(self, value, own);
    }
  };
  visit(visit, effective, "");
}

Experiment::Experiment(const Value& config, const Registries& registries, const std::string& folder,
                       const Executor& executor, const std::filesystem::path& stored) {
  check_sections(config);
  GeneralOptions general;
  general.precision = precision_of(config, "float32");
  Value own = make_table();
  own.where = config.where;
  for (const char* key : {"seed", "precision", "plugins"})
    if (const Value* v = config.find(key)) own.set(key, *v);
  effective_ = read_options(own, "configuration", general);
  for (const std::string& name : general.plugins)
    if (std::ranges::none_of(registries.plugins(), [&](const LoadedPlugin& p) { return p.name == name; }))
      throw PluginError(fmt::format("{}plugin '{}' is not loaded.", place(*config.find("plugins")), name));
  effective_.set("plugins", plugin_names(registries));
  for (const LoadedPlugin& plugin : registries.plugins())
    plugins_ += fmt::format("{}{} {}", plugins_.empty() ? "" : ", ", plugin.name, plugin.version);
  seed_ = general.seed;
  const RandomSource root{seed_, 0};

  const auto make = [&]<class I>(std::unique_ptr<I>& slot, const char* name, const char* fallback, const char* why) {
    Value effective;
    slot = registries.make<I>(section(config, name, fallback, why), effective);
    effective_.set(name, std::move(effective));
  };

  // Where an option was written, for what is wrong with it only beside other things.
  const auto written = [&](const char* table, const char* option) -> const Value& {
    const Value* found = config.find(table);
    const Value* value = found ? found->find(option) : nullptr;
    return value ? *value : found ? *found : config;
  };

  // Components first: their mistakes are told before a large file is read.
  std::unique_ptr<DataSource> source;
  Value data_effective;
  source = registries.make<DataSource>(
      absolute_data_paths(section(config, "data", "", "say what to train on, with a 'type'"), folder), data_effective);
  effective_.set("data", data_effective);
  build_model(absolute_mask_paths(section(config, "model", "", "say what to train, with a 'type'"), folder), registries,
              stored);
  std::unique_ptr<Initializer> initializer;
  make(initializer, "initializer", "normal", "");
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
  {
    Value table = make_table();
    if (const Value* given = config.find("training")) table = *given;
    effective_.set("training", read_options(table, "training", training_));
  }
  build_pictures(config, registries);
  estimator_->check(*model_);
  check_options(written("optimizer", "factors"),
                fmt::format("optimizer '{}'", std::get<std::string>(effective_.find("optimizer")->find("type")->data)),
                [&] { optimizer_->check(model_->parameter_layout()); });
  check_purposes(effective_);

  memory_without_data(training_.batch_size.value_or(1)).check(whose_memory);

  data_ = std::make_unique<DataSplits>(source->load(root.child("data")));
  effective_.set("data", source->resolved(data_effective, *data_));
  data_->train = fitted(data_->train, model_->layout());
  for (std::optional<Dataset>* part : {&data_->validation, &data_->test})
    if (*part) *part = fitted(**part, model_->layout());
  estimator_->begin(*model_, {data_->train.rows(), data_->train.has_missing()});
  effective_.set("estimator", estimator_->resolved(*effective_.find("estimator"), *model_));
  settle_training();
  check_options(written("training", "batch_size"), "training", [&] {
    batches_ = std::make_unique<Batches>(data_->train, model_->layout(), *training_.batch_size, root.child("batches"));
  });
  check_options(written("training", "num_epochs"), "training",
                [&] { training_.total_updates(batches_->batches_per_epoch()); });
  memory().check(whose_memory);
  try {
    initializer->initialize(*model_, &data_->train, {executor, root.child("initializer")});
  } catch (const NumericalError& error) {
    throw ConfigError(fmt::format("initializer: {}. Start smaller.", error.what()));
  }
  if (const auto wrong = beyond(model_->parameter_layout(), model_->parameters(), training_.max_parameter, executor))
    throw ConfigError(
        fmt::format("initializer: {} before the first update (training.max_parameter = {:g}). Start smaller.", *wrong,
                    training_.max_parameter));
  build_observers(config, registries);
  memory().check(whose_memory);  // with theirs
}

void Experiment::build_model(const Value& spec, const Registries& registries, const std::filesystem::path& stored) {
  Value effective;
  const Value kept = stored.empty() ? spec : without_lost_masks(spec);
  model_ = registries.make<EnergyModel>(kept, effective);
  if (!stored.empty()) take_masks(stored, spec, *model_);
  if (kept != spec) effective.set("masks", *spec.find("masks"));
  effective_.set("model", std::move(effective));
}

void Experiment::settle_training() {
  constexpr Index usual_batch = 100, usual_epochs = 10;
  const Index rows = data_->train.rows();
  if (!training_.batch_size) training_.batch_size = std::min(usual_batch, rows);
  if (!training_.num_epochs && !training_.num_updates) training_.num_epochs = usual_epochs;
  // Written as it is read, keys in their order: the same run has the same file.
  effective_.set("training", write_options([&](OptionBinder& binder) { training_.bind(binder); }));
}

void Experiment::build_pictures(const Value& config, const Registries& registries) {
  RunPictureOptions options;
  Value table = make_table();
  if (const Value* given = config.find("pictures")) table = *given;
  read_options(table, "pictures", options);
  try {
    pictures_.emplace(options, *model_, registries);
  } catch (const CapabilityError& error) {
    throw CapabilityError(place(table) + error.what());
  }
  Value which;
  which.data = Value::List{};
  for (const std::string& name : pictures_->which()) std::get<Value::List>(which.data).push_back(make_value(name));
  table.set("which", std::move(which));
  effective_.set("pictures", read_options(table, "pictures", options));
}

std::vector<OptionInfo> Experiment::general_options() {
  return describe_options([](OptionBinder& binder) { GeneralOptions().bind(binder); });
}

std::vector<OptionInfo> Experiment::training_options() {
  return describe_options([](OptionBinder& binder) { TrainingOptions().bind(binder); });
}

std::vector<OptionInfo> Experiment::picture_options() {
  return describe_options([](OptionBinder& binder) { RunPictureOptions().bind(binder); });
}

MemoryNeed Experiment::memory_without_data(Index rows) const {
  const Layout& layout = model_->layout();
  const auto vector = static_cast<double>(model_->parameter_layout().size()) * sizeof(Real);
  const auto batch = static_cast<double>(rows) * sizeof(Real);
  MemoryNeed need;
  need.add("the program and its libraries", 40e6, "");
  need.add("the parameters", vector, "the size of the model");
  need.add("the parameters before an update", vector, "the size of the model");
  need.add("the gradient", vector, "the size of the model");
  need.add("the last good parameters", vector, "the size of the model");
  if (training_.inadmissible_step == InadmissibleStep::shrink)
    need.add("the step that may have to shrink", vector, "the size of the model");
  const double remembered = vector * static_cast<double>(optimizer_->vectors());
  need.add_state("the optimizer's memory", remembered, "the size of the model");
  need.add("the batch", batch * static_cast<double>(layout.columns(layout.all())), "training.batch_size");
  const double latent = batch * static_cast<double>(layout.columns(layout.latent()));
  need.add("the posterior of the batch", 2.0 * latent, "training.batch_size");  // fields and means
  need.add_passing("the means, weighed by their rows", latent, "training.batch_size");
  estimator_->memory(*model_, rows, need);
  // A file is put together in memory and copied from there; its state is a copy already. A signal may ask for one at
  // any time.
  need.add_passing("a checkpoint while it is written", 2.0 * vector + 3.0 * need.state_bytes(),
                   need.state_bytes() > vector && optimizer_->vectors() == 0 ? "the estimator's num_chains"
                                                                             : "the size of the model");
  return need;
}

MemoryNeed Experiment::memory() const {
  MemoryNeed need = memory_without_data(*training_.batch_size);
  double data = data_->train.bytes();
  for (const auto* part : {&data_->validation, &data_->test})
    if (*part) data += (*part)->bytes();
  need.add("the data", data, "the number of rows");
  const RunOutline outline{*model_, run_data(), 0.0};
  for (const auto& entry : observers_) entry.second->memory(outline, need);
  return need;
}

double Experiment::operations_per_update() const {
  return operations_per_epoch(*model_, *estimator_, *training_.batch_size, 1);
}

RunData Experiment::run_data() const {
  return {&data_->train, data_->validation ? &*data_->validation : nullptr, data_->test ? &*data_->test : nullptr};
}

void Experiment::build_observers(const Value& config, const Registries& registries) {
  const double operations = operations_per_update() * static_cast<double>(batches_->batches_per_epoch());
  const RunOutline outline{*model_, run_data(), operations, estimator_->figures(*model_)};

  Value list;
  list.data = Value::List{};
  const auto add = [&](const Value& spec, bool asked_for) {
    Value effective;
    std::unique_ptr<Observer> observer = registries.make<Observer>(spec, effective);
    try {
      observer->begin(outline);
    } catch (const CapabilityError& error) {
      if (asked_for) throw CapabilityError(place(spec) + error.what());
      // Of what every run measures, what this model offers.
      unmeasured_.emplace_back(std::get<std::string>(spec.find("type")->data), error.what());
      return;
    }
    if (const auto* likelihood = dynamic_cast<const LogLikelihoodMetric*>(observer.get())) {
      const std::uint64_t per_epoch = batches_->batches_per_epoch();
      const std::uint64_t epochs = training_.total_updates(per_epoch) / per_epoch;
      if (likelihood->every() > epochs)
        unmeasured_.emplace_back(
            "log_likelihood",
            fmt::format(
                "log Z takes so long that it is due once in {} epochs, and the run has {}. Set its 'every', or ask "
                "'harmonium evaluate' for it.",
                likelihood->every(), epochs));
    }
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
    if (!given && registries.of<Observer>().entries().contains(name))
      add(make_table({{"type", make_value(name)}}), false);
  }
  for (const Value& spec : asked) add(spec, true);
  effective_.set("observers", std::move(list));
}

ModelOrigin Experiment::origin() const {
  std::vector<DataFile> files = data_->train.files();
  for (const auto* part : {&data_->validation, &data_->test}) {
    if (!*part) continue;
    for (const DataFile& file : (*part)->files())
      if (std::ranges::none_of(files, [&](const DataFile& f) { return f.path == file.path; })) files.push_back(file);
  }
  return {std::move(files), data_->train.sample_shape(), data_->train.transform().get(), plugins_};
}

TrainingSummary Experiment::run(TrainingPosition& position, TrainingHost& host, const Executor& executor) {
  const TrainingParts parts{*model_, *batches_, *estimator_, *optimizer_, regularizers_, observers_};
  return train(parts, training_, run_data(), position, host, {executor, {seed_, 0}});
}

void Experiment::state(StateArchive& archive) {
  archive.group("estimator", *estimator_);
  archive.group("optimizer", *optimizer_);
  for (const auto& [name, observer] : observers_) archive.group("observer_" + name, *observer);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
