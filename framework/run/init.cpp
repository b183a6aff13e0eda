#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include <harmonium/framework/config/overrides.hpp>
#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/run/commands.hpp>
#include <harmonium/framework/run/experiment.hpp>
#include <harmonium/framework/run/meanings.hpp>
#include <harmonium/framework/run/plugins.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

namespace fs = std::filesystem;

/// When a setting is to be changed; what it means is in its declaration.
const std::map<std::string, std::string> advice = {
    {"seed", "Another seed is another run of the same kind: two or three tell how far results scatter."},
    {"data.binarize",
     "The values are grey, and units are bits: \"threshold\" is the same bits in each epoch. \"each_epoch\" keeps the "
     "grey levels, as probabilities, and takes longer to learn. Likelihoods under the two cannot be compared."},
    {"data.standardize",
     "The values are no bits: Gaussian units take them, and want columns of mean 0 and deviation 1. For bits set "
     "data.binarize in its place, and leave model.visible_units out."},
    {"data.validation", "These rows are left out of training, so that learning by heart can be seen."},
    {"model.num_visible", "As many as the file has columns."},
    {"model.num_hidden",
     "More fit more, and take more time and more rows; up to about 25 the exact likelihood can be had."},
    {"estimator.type", "\"cd\" is quicker at first and ends worse; \"exact\" is for fewer than 20 units in one layer."},
    {"estimator.centering", "Leave it: without it hidden units may all become one."},
    {"estimator.gibbs_steps", "Raise it (5, 10) where the likelihood falls after a while: chains then lag behind."},
    {"optimizer.learning_rate", "Halve it where figures jump or the run diverges, double it where they creep."},
    {"optimizer.schedule", "The rate ends at 0, so that the last parameters are not the noise of the last batches."},
    {"training.num_epochs", "Raise it while the figures still improve at the end."},
    {"training.batch_size", "Larger is smoother and makes fewer updates of an epoch."},
    {"training.checkpoint_every", "From the last checkpoint a run that was broken off goes on with --resume."},
};

std::int64_t whole(Index value) { return static_cast<std::int64_t>(value); }

/// Whether values are bits, or grey levels that bits are made of: 0 to 1, or bytes of an image.
enum class Values { bits, grey, real };

Values kind_of(const Dataset& data) {
  if (data.is_binary()) return Values::bits;
  return data.is_bytes() || (data.least().value >= 0.0 && data.greatest().value <= 1.0) ? Values::grey : Values::real;
}

/// A run of some thousands of updates, of a machine that the rows can determine.
Value proposal(const Dataset& data, const std::string& type, const std::string& path, Values values) {
  const Index rows = data.rows(), columns = data.cols();
  const Index hidden = std::clamp<Index>(std::min(columns, rows / 20), std::min<Index>(2 * columns, 32), 500);
  const Index validation = rows >= 1000 ? std::min<Index>(rows / 10, 10'000) : 0;
  const Index training = rows - validation, batch = std::min<Index>(100, training);
  const Index batches = (training + batch - 1) / batch;
  const Index epochs = std::clamp<Index>((10'000 + batches - 1) / batches, 10, 10'000);
  Value config = make_table({{"seed", make_value(std::int64_t{1})}});
  Value source = make_table({{"type", make_value(type)}, {"path", make_value(path)}});
  if (values == Values::grey) source.set("binarize", make_value(std::string("threshold")));
  if (values == Values::grey && data.is_bytes() && data.greatest().value < 255) {
    // Of levels from 0 to 16, say, half of 255 would make no difference.
    Value range;
    range.data = Value::List{make_value(0.0), make_value(data.greatest().value)};
    source.set("range", std::move(range));
  }
  if (values == Values::real) source.set("standardize", make_value(true));
  if (validation > 0) source.set("validation", make_value(whole(validation)));
  config.set("data", std::move(source));
  Value model = make_table({{"type", make_value("rbm")},
                            {"num_visible", make_value(whole(columns))},
                            {"num_hidden", make_value(whole(hidden))}});
  if (values == Values::real) model.set("visible_units", make_value(std::string("gaussian")));
  config.set("model", std::move(model));
  config.set("estimator", make_table({{"type", make_value("pcd")},
                                      {"gibbs_steps", make_value(std::int64_t{1})},
                                      {"centering", make_value(true)}}));
  config.set("optimizer", make_table({{"type", make_value("sgd")},
                                      {"learning_rate", make_value(values == Values::real ? 0.01 : 0.05)},
                                      {"schedule", make_table({{"type", make_value("linear")}})}}));
  config.set("training", make_table({{"batch_size", make_value(whole(batch))},
                                     {"num_epochs", make_value(whole(epochs))},
                                     {"checkpoint_every", make_value(whole(std::max<Index>(epochs / 10, 1)))}}));
  return config;
}

}  // namespace

std::string init(const InitRequest& request, const Registries& builtin) {
  const fs::path folder = request.output.empty() ? fs::current_path() : fs::absolute(request.output).parent_path();
  std::error_code error;
  if (fs::is_directory(request.data, error))
    throw ConfigError(fmt::format("{}: a folder, not a file. Name the data file in it.", request.data));
  const std::string type = data_type_of_file(request.data);

  Value own = make_table({{"data", make_table({{"type", make_value(type)}, {"path", make_value(request.data)}})}});
  for (const std::string& assignment : request.set) apply_override(own, assignment);
  const Registries registries = with_plugins(builtin, request, own);
  const Value* source = own.find("data");
  for (const char* key : {"type", "path"})
    if (const Value* value = source->find(key); !value || value->where.starts_with("--set"))
      throw ConfigError(fmt::format("--set data: the file {} says what data.{} is. Leave it out.", request.data, key));
  Value effective;
  const Dataset data = registries.make<DataSource>(absolute_data_paths(*source, ""), effective)->load({1, 0}).train;
  const Values values = kind_of(data);  // after what --set data.… makes of them

  std::string path = request.data;
  if (!fs::path(path).is_absolute())
    path = fs::absolute(path).lexically_normal().lexically_proximate(folder.lexically_normal()).string();
  Value config = proposal(data, type, path, values);
  for (const std::string& assignment : request.set) apply_override(config, assignment);
  if (!registries.plugins().empty()) config.set("plugins", plugin_names(registries));
  if (request.seed) config.set("seed", make_value(static_cast<std::int64_t>(*request.seed)));
  // Other files are named from the current folder; in the configuration they would be looked for in its own.
  Value& written = *config.find("data");
  const Value absolute = absolute_data_paths(written, folder.string());
  for (const std::string_view key : data_path_keys)
    if (const Value* other = absolute.find(key); other && key != "path") written.set(key, *other);

  // What train would refuse is refused here.
  const Experiment experiment(config, registries, folder.string(), Executor(request.threads, request.stop));

  const Meanings meanings(config, registries);
  const auto remarks = [&](const std::string& path_of) {
    const auto more = advice.find(path_of);
    const std::string meaning = meanings(path_of);
    return meaning + (more == advice.end() ? "" : (meaning.empty() ? "" : "\n") + more->second);
  };
  const std::string name = request.output.empty() ? "CONFIG.toml" : request.output;
  return toml_comment(
             fmt::format("{}: {} rows of {} {}.\n"
                         "harmonium train {}      trains by this file; harmonium explain shows what it leaves open.\n",
                         request.data, data.rows(), data.cols(),
                         values == Values::bits   ? "bits"
                         : values == Values::grey ? "grey values"
                                                  : "real values",
                         name)) +
         "\n" + write_toml(config, remarks);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
