#include <harmonium/framework/run/experiment.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <harmonium/framework/config/layer_sizes.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/data/described_columns.hpp>
#include <harmonium/framework/data/sources.hpp>
#include <harmonium/framework/files/model_header.hpp>
#include <harmonium/framework/inference/burned_in.hpp>
#include <harmonium/framework/run/column_names.hpp>
#include <harmonium/framework/run/data_random.hpp>
#include <harmonium/framework/run/described_data.hpp>
#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/framework/run/rows_of_commands.hpp>
#include <harmonium/framework/run/sections.hpp>
#include <harmonium/framework/run/sizes_of_data.hpp>
#include <harmonium/framework/run/stored_masks.hpp>
#include <harmonium/framework/run/training_state.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/framework/training/last_likelihood.hpp>
#include <harmonium/framework/training/last_model.hpp>
#include <harmonium/framework/training/parameter_checks.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr const char* whose_memory = "training";

struct GeneralOptions {
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> data_seed = {};
  std::string precision = "float32";
  std::vector<std::string> plugins;
  void bind(OptionBinder& o) {
    o.option("seed", seed, "seed of every random word of the run", at_least(0));
    o.option(
        "data_seed", data_seed,
        "seed of what is drawn of the data: rows that are set aside or left out, bits of gray values; that of the run "
        "where not given",
        at_least(0));
    o.option("precision", precision, "of the run's numbers: float32 or float64; likelihoods are always in the latter");
    o.option("plugins", plugins, "plugins to load, by name");
  }
};

}  // namespace

Experiment::Experiment(const Value& given, const Registries& registries, const std::string& folder,
                       const Executor& executor, const std::filesystem::path& stored, Communicator& ranks)
    : ranks_(ranks) {
  const Value config = absolute_run_paths(given, folder);
  check_sections(config, registries);
  read_general(config, registries);
  start_ = StartModel::of(config, folder, !stored.empty());
  if (start_) effective_.set("start_from", start_->effective());
  // Components first: their mistakes are told before a large file is read.
  const Value data = absolute_data_paths(section(config, "data", "", "say what to train on, with a 'type'"), folder);
  refuse_rows_of_commands(data);
  Value data_effective;
  const std::unique_ptr<DataSource> source = registries.make<DataSource>(data, data_effective);
  effective_.set("data", data_effective);
  Value model = with_sizes_of_shapes(
      absolute_mask_paths(section(config, "model", "", "say what to train, with a 'type'"), folder));
  model = with_observed_layers(std::move(model), *source, registries);
  if (leaves_sizes(model, registries)) {
    data_ = std::make_unique<DataSplits>(source->load(data_random(effective_)));
    model = with_sizes_of(data_->train, std::move(model), registries, &guesses_);
  }
  build_model(model, registries, stored);
  Value initializer_effective;
  const auto initializer =
      registries.make<Initializer>(section(config, "initializer", "normal", ""), initializer_effective);
  effective_.set("initializer", std::move(initializer_effective));
  build_training(config, registries);
  build_pictures(config, registries);
  check_components(config);
  memory_without_data(training_.batch_size.value_or(1)).check(whose_memory);
  load_data(config, *source, data_effective);
  memory().check(whose_memory);
  initialize(*initializer, !stored.empty(), registries, executor);
  build_observers(config, registries);
  memory().check(whose_memory);  // with theirs
}

void Experiment::read_general(const Value& config, const Registries& registries) {
  GeneralOptions general;
  general.precision = precision_of(config, "float32");
  Value own = make_table();
  own.where = config.where;
  for (const char* key : {"seed", "data_seed", "precision", "plugins"})
    if (const Value* v = config.find(key)) own.set(key, *v);
  effective_ = read_options(own, "configuration", general);
  for (const std::string& name : general.plugins)
    if (std::ranges::none_of(registries.plugins(), [&](const LoadedPlugin& p) { return p.name == name; }))
      throw PluginError(fmt::format("{}plugin '{}' is not loaded.", written_at(*config.find("plugins")), name));
  effective_.set("plugins", plugin_names(registries));
  for (const LoadedPlugin& plugin : registries.plugins())
    plugins_ += fmt::format("{}{} {}", plugins_.empty() ? "" : ", ", plugin.name, plugin.version);
  seed_ = general.seed;
}

void Experiment::check_components(const Value& config) const {
  estimator_->check(*model_);
  check_options(written_option(config, "optimizer", "factors"),
                fmt::format("optimizer '{}'", std::get<std::string>(effective_.find("optimizer")->find("type")->data)),
                [&] { optimizer_->check(gradient_layout(*model_, *estimator_)); });
  check_purposes(effective_);
}

void Experiment::load_data(const Value& config, const DataSource& source, const Value& data_effective) {
  if (!data_) data_ = std::make_unique<DataSplits>(source.load(data_random(effective_)));
  effective_.set("data", source.resolved(data_effective, *data_));
  names_ = names_of_columns(source, data_effective);
  if (const auto* described = dynamic_cast<const DescribesColumns*>(&source)) guesses_ = described->guesses();
  if (const auto* sequences = dynamic_cast<const FastaSource*>(&source))
    if (const std::string letters = sequences->guesses(); !letters.empty())
      guesses_ = letters + (guesses_.empty() ? "" : " " + guesses_);
  refuse_energies(data_->train, names_, model_->layout());
  refuse_other_layers(data_->train, source, config.find("model"), model_->layout());
  data_->train = fitted(data_->train, model_->layout());
  if (data_->train.read_as_states()) names_.columns = names_of_states(names_.columns, model_->layout());
  for (std::optional<Dataset>* part : {&data_->validation, &data_->test})
    if (*part) *part = fitted(**part, model_->layout());
  estimator_->begin(*model_, outline_of(data_->train, model_->layout()));
  effective_.set("estimator", estimator_->resolved(*effective_.find("estimator"), *model_));
  settle_training();
  check_shards(config);
  check_options(written_option(config, "training", "batch_size"), "training", [&] {
    batches_ =
        std::make_unique<Batches>(data_->train, model_->layout(), *training_.batch_size, random().child("batches"));
  });
  if (const ShardSum own(training_.shards, ranks_); shards_) batches_->read_only(own.first(), own.last(), own.shards());
  check_options(written_option(config, "training", "num_epochs"), "training",
                [&] { training_.total_updates(batches_->batches_per_epoch()); });
}

void Experiment::initialize(const Initializer& initializer, bool goes_on, const Registries& registries,
                            const Executor& executor) {
  const bool starts = start_ && start_->known();
  try {
    const Execution execution{executor, random().child("initializer")};
    // A fit takes its time: where another model takes its place, only new units keep what they are given.
    if (initializer.fits_data() && (starts || goes_on))
      NormalInitializer({}).initialize(*model_, &data_->train, execution);
    else initializer.initialize(*model_, &data_->train, execution);
  } catch (const NumericalError& error) {
    throw ConfigError(fmt::format("initializer: {}. {}", error.what(), smaller_start(*model_)));
  }
  if (starts) grown_ = start_->put_into(*model_, registries, {executor, random().child("start_from")});
  const char* who = starts ? "start_from" : "initializer";
  const char* remedy = starts ? "Raise it, or start from another model." : "Start smaller.";
  if (const auto wrong = beyond(model_->parameter_layout(), model_->parameters(), training_.max_parameter, executor))
    throw ConfigError(fmt::format("{}: {} before the first update (training.max_parameter = {:g}). {}", who, *wrong,
                                  training_.max_parameter, remedy));
  estimator_->start(*model_, Execution{executor, random()}.part("estimator"));
  // Where the file is gone, too: a run that goes on before its first chains makes them as it would have.
  const Index steps = start_ ? start_->burn_in() : initializer.fits_data() ? StartModel::Options().burn_in : 0;
  auto* chains = steps > 0 ? dynamic_cast<BurnsIn*>(estimator_.get()) : nullptr;
  if (chains && chains->burn_in(steps)) burn_in_ = steps;
}

StateSizes Experiment::sizes() const { return state_sizes_of(*model_, *estimator_, data_->train.rows()); }

void Experiment::build_model(const Value& spec, const Registries& registries, const std::filesystem::path& stored) {
  Value effective;
  const Value kept = stored.empty() ? spec : without_lost_masks(spec);
  model_ = registries.make<EnergyModel>(kept, effective);
  if (!stored.empty()) take_masks(stored, spec, *model_);
  if (kept != spec) effective.set("masks", *spec.find("masks"));
  effective_.set("model", std::move(effective));
}

void Experiment::build_pictures(const Value& config, const Registries& registries) {
  RunPictureOptions options;
  const Value* given = config.find("pictures");
  Value table = given ? *given : make_table();
  read_options(table, "pictures", options);
  try {
    pictures_.emplace(options, *model_, registries);
  } catch (const CapabilityError& error) {
    throw CapabilityError(written_at(table) + error.what());
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

std::vector<OptionInfo> Experiment::start_options() {
  return describe_options([](OptionBinder& binder) { StartModel::Options().bind(binder); });
}

std::vector<OptionInfo> Experiment::training_options() {
  return describe_options([](OptionBinder& binder) { TrainingOptions().bind(binder); });
}

std::vector<OptionInfo> Experiment::picture_options() {
  return describe_options([](OptionBinder& binder) { RunPictureOptions().bind(binder); });
}

RunData Experiment::run_data() const {
  return {&data_->train, data_->validation ? &*data_->validation : nullptr, data_->test ? &*data_->test : nullptr};
}

ModelOrigin Experiment::origin() const {
  std::vector<DataFile> files = data_->train.files();
  for (const auto* part : {&data_->validation, &data_->test}) {
    if (!*part) continue;
    for (const DataFile& file : (*part)->files())
      if (std::ranges::none_of(files, [&](const DataFile& f) { return f.path == file.path; })) files.push_back(file);
  }
  return {std::move(files), data_->train.sample_shape(), data_->train.transform().get(), plugins_, names_};
}

TrainingParts Experiment::parts() {
  return {*model_,    *batches_,         *estimator_, *optimizer_, regularizers_,
          observers_, stop_early_.get(), best_.get(), shards_};
}

std::optional<std::string> Experiment::stopped_early() const {
  if (!stop_early_ || !stop_early_->over()) return {};
  return stop_early_->message();
}

TrainingSummary Experiment::run(TrainingPosition& position, TrainingHost& host, const Executor& executor) {
  return train(parts(), training_, run_data(), position, host, {executor, {seed_, 0}});
}

TrainingSummary Experiment::run_unobserved(TrainingPosition& position, TrainingHost& host, const Executor& executor) {
  NamedObservers none;
  const TrainingParts bare{*model_, *batches_, *estimator_, *optimizer_, regularizers_, none};
  return train(bare, training_, run_data(), position, host, {executor, {seed_, 0}});
}

MetricRecord Experiment::judge_last(std::uint64_t update, const Executor& executor) {
  const Execution execution{executor, {seed_, 0}};
  const RunOutline outline = run_outline();
  MetricRecord record = judge_last_model(parts(), training_, outline, update, execution);
  add_last_likelihood(parts(), training_, outline, update, execution, record);
  return record;
}

void Experiment::state(StateArchive& archive) { exchange_state(parts(), archive); }

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
