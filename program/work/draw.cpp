#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/unfinished.hpp>
#include <harmonium/framework/files/hdf5.hpp>
#include <harmonium/framework/files/sample_shape.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/run/pictures.hpp>
#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/framework/run/run_folder.hpp>
#include <harmonium/framework/training/batches.hpp>
#include <harmonium/program/work/command_options.hpp>
#include <harmonium/program/work/commands.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t usual_steps = 1000;

/// A kind of picture of a model, and what it takes.
struct Kind {
  const char* name;
  bool tensor, chains, data;
};
constexpr Kind kinds[] = {{"data", false, false, true},
                          {"filters", true, false, false},
                          {"reconstructions", false, false, true},
                          {"samples", false, true, false},
                          {"chains", false, true, true}};

/// Whether a file is what `harmonium sample --output FILE.h5` writes.
bool holds_samples(const std::string& path) {
  probe_hdf5(path);
  const Hdf5File file = Hdf5File::open(path);
  return !file.has_attribute("format") && file.is_dataset("samples");
}

Table read_rows(const std::string& path) {
  if (!is_hdf5(path)) return read_table(path);
  Hdf5Array<double> samples = Hdf5File::open(path).read<double>("samples");
  if (samples.shape.empty() || samples.values.empty())
    throw DataError(fmt::format("{}: its dataset 'samples' holds no rows", path));
  const Index rows = samples.shape[0];
  return {rows, samples.values.size() / rows, std::move(samples.values), std::move(samples.shape)};
}

/// Refuses options that the pictures asked for would not heed.
void check_heeded(const DrawRequest& request, const std::string& who, bool tensor, bool chains, bool data) {
  const auto refuse = [&](const char* option, const char* when) {
    throw ConfigError(fmt::format("{}: it has no meaning for {}. Leave it out, or draw {}.", option, who, when));
  };
  if (!tensor && !request.tensor.empty()) refuse("--tensor", "filters of a model");
  if (!chains && request.gibbs_steps) refuse("--gibbs-steps", "samples or chains of a model");
  if (!chains && !request.sampler.empty()) refuse("--sampler", "samples or chains of a model");
  if (!data && !request.data.empty()) refuse("--data", "data, reconstructions or chains of a model");
}

PictureStyle style_of(const DrawRequest& request) {
  PictureStyle style;
  style.count = request.count;
  style.columns = request.columns;
  if (request.shape.empty()) return style;
  style.shape = parse_sample_shape(request.shape);
  if (!style.shape || style.shape->size() > 2)
    throw ConfigError(fmt::format(
        "--shape {}: this is no shape. Write HEIGHTxWIDTH, such as 28x28, or one number for lines.", request.shape));
  return style;
}

void check_picture_output(const DrawRequest& request, const std::vector<std::string>& inputs) {
  if (request.output.empty())
    throw ConfigError("draw: --output FILE.png is missing; only all pictures of a run have a place of their own.");
  if (fs::path(request.output).extension() != ".png")
    throw ConfigError(
        fmt::format("--output {}: pictures are written as .png. Give a name that ends so.", request.output));
  check_output(request.output, inputs);
}

/// Draws pictures of one model, with what they take made when the first of them asks for it.
class ModelPainter {
 public:
  ModelPainter(const DrawRequest& request, const std::string& path, const Registries& registries)
      : request_(request),
        header_(read_model_header(path)),
        registries_(with_plugins(registries, request, header_)),
        style_(style_of(request)),
        executor_(request.threads, request.stop),
        execution_{executor_, random_of(request, header_.config).child("draw")},
        path_(path) {}

  /// Reads all that pictures of these kinds take, so that what is wrong with it is told before anything is drawn. With
  /// `all`, kinds that the model or its data do not offer are taken out.
  void prepare(std::vector<Kind>& wanted, bool all) {
    std::vector<std::string> sections;
    const auto any = [&](bool Kind::*takes) { return std::ranges::any_of(wanted, takes); };
    if (any(&Kind::data)) sections.emplace_back("data");
    if (any(&Kind::chains)) sections.emplace_back("sampler");
    if (sections.empty() && !request_.set.empty())
      throw ConfigError(fmt::format("--set {}: filters have no options to set. Leave it out.", request_.set[0]));
    const Value options = command_options(request_.set, sections);
    if (any(&Kind::chains)) {
      Value effective;
      sampler_ = registries_.make<Sampler>(
          component_spec(options, "sampler", request_.sampler.empty() ? "gibbs" : request_.sampler), effective);
    }
    model_ = load_model(path_, header_, registries_);
    if (any(&Kind::data)) load_data(options);
    style_.sample_shape = header_.sample_shape;
    if (data_ && data_->sample_shape().size() > 1)
      style_.sample_shape.assign(data_->sample_shape().begin(), data_->sample_shape().end());
    std::erase_if(wanted, [&](const Kind& kind) {
      try {
        check(kind);
      } catch (const CapabilityError&) {
        if (!all) throw;
        return true;
      }
      return false;
    });
  }

  Picture draw(const Kind& kind) {
    const std::string_view name = kind.name;
    if (name == "data") return draw_data(*model_, *data_, style_);
    if (name == "filters") return draw_filters(*model_, tensor_, style_);
    if (name == "reconstructions") return draw_reconstructions(*model_, *data_, style_, executor_);
    const auto progress = [&](double done) {
      executor_.check_stop();
      if (request_.display) request_.display->progress(done, "sampling");
    };
    const Index steps = request_.gibbs_steps.value_or(usual_steps);
    const Execution own = execution_.part(name);
    if (name == "samples") return draw_samples(*model_, *sampler_, steps, style_, own, progress);
    return draw_chains(*model_, *sampler_, data_ ? &*data_ : nullptr, steps, style_, own, progress);
  }

 private:
  void load_data(const Value& options) {
    Value spec = data_spec(header_.config, request_.data, options);
    const Value* own = header_.config.find("data");
    if (!spec.is_table() && own) spec = *own;
    if (!spec.is_table()) return;
    data_ = load_rows(path_, spec, model_->layout(), registries_, random_of(request_, header_.config).child("data"));
  }

  /// Throws CapabilityError where the model or its data do not offer such a picture.
  void check(const Kind& kind) {
    const std::string_view name = kind.name;
    if (kind.chains) sampler_->check(Target{*model_});
    if (kind.data && !kind.chains && !data_)
      throw CapabilityError(
          fmt::format("--what {}: {} does not say which data it was trained on. Give --data FILE.", name, path_));
    if (name == "reconstructions" && !offers_reconstruction(*model_))
      throw CapabilityError(
          "--what reconstructions: the model offers none: its latent units must be independent given the observed "
          "ones, "
          "and the reverse.");
    if (name == "filters") tensor_ = find_tensor();
  }

  Index find_tensor() const {
    const ParameterLayout& layout = model_->parameter_layout();
    std::vector<std::string> known;
    for (const ParameterBlock& b : layout.blocks()) known.push_back(b.name);
    if (request_.tensor.empty()) {
      if (const std::optional<Index> tensor = filter_tensor(*model_)) return *tensor;
      throw CapabilityError(
          fmt::format("--what filters: the model has no couplings of an observed layer with a latent one. Choose a "
                      "tensor by --tensor: {}.",
                      fmt::join(known, ", ")));
    }
    const Index found = layout.find(request_.tensor);
    if (found < layout.blocks().size()) return found;
    throw ConfigError(fmt::format("--tensor {}: the model has no such tensor{}. Known: {}.", request_.tensor,
                                  did_you_mean(request_.tensor, known), fmt::join(known, ", ")));
  }

  const DrawRequest& request_;
  ModelHeader header_;
  Registries registries_;
  PictureStyle style_;
  Executor executor_;
  Execution execution_;
  std::string path_;
  std::unique_ptr<EnergyModel> model_;
  std::unique_ptr<Sampler> sampler_;
  std::optional<Dataset> data_;
  Index tensor_ = 0;
};

}  // namespace

std::string drawn_model(const DrawRequest& request) {
  const fs::path input = request.input;
  std::error_code error;
  if (!fs::exists(input, error)) throw ConfigError(fmt::format("{}: no such file or folder", request.input));
  if (fs::is_directory(input, error)) {
    if (fs::exists(input / "model.h5", error)) return (input / "model.h5").string();
    if (const auto checkpoint = resume_point(input).checkpoint) return checkpoint->string();
    throw ConfigError(
        fmt::format("{}: a folder without model.h5 and without checkpoints. Name the folder of a run, a model, or a "
                    "file of data.",
                    request.input));
  }
  return is_hdf5(request.input) && !holds_samples(request.input) ? request.input : "";
}

std::vector<DrawnPicture> draw(const DrawRequest& request, const Registries& registries) {
  const std::string path = drawn_model(request);
  std::vector<Kind> wanted;
  for (const Kind& kind : kinds)
    if (request.what == kind.name) wanted.push_back(kind);
  if (wanted.empty() && !request.what.empty()) {
    std::vector<std::string> names;
    for (const Kind& kind : kinds) names.emplace_back(kind.name);
    throw ConfigError(fmt::format("--what {}: there is no such picture{}. Known: {}.", request.what,
                                  did_you_mean(request.what, names), fmt::join(names, ", ")));
  }

  if (path.empty()) {
    if (!request.what.empty() && request.what != "data" && request.what != "samples")
      throw ConfigError(
          fmt::format("--what {}: {} holds rows of numbers, not a model. Name a model, or leave --what out.",
                      request.what, request.input));
    check_heeded(request, "a file of data", false, false, false);
    if (!request.set.empty())
      throw ConfigError(fmt::format("--set {}: a file of data is drawn as it is. Leave it out.", request.set[0]));
    if (!request.plugins.empty())
      throw ConfigError(
          fmt::format("--plugin {}: a file of data is drawn as it is. Leave it out.", request.plugins[0]));
    const PictureStyle style = style_of(request);
    check_picture_output(request, {request.input});
    const Picture picture = draw_rows(read_rows(request.input), fs::path(request.input).filename().string(), style);
    write_picture(request.output, picture);
    return {{request.output, picture.caption}};
  }

  const bool all = request.what.empty() && fs::is_directory(request.input);
  if (all) wanted.assign(std::begin(kinds), std::end(kinds));
  else if (wanted.empty()) wanted = {kinds[1]};  // of a model, its filters
  if (!all) {
    const Kind& k = wanted[0];
    check_heeded(request, k.name, k.tensor, k.chains, k.data);
    check_picture_output(request, {path, request.data});
  }
  ModelPainter painter(request, path, registries);
  const fs::path folder = request.output.empty() ? fs::path(request.input) / "pictures" : fs::path(request.output);
  std::error_code error;
  if (all && fs::exists(folder, error) && !fs::is_directory(folder, error))
    throw ConfigError(fmt::format(
        "--output {}: a file of this name exists, and the pictures of a run go to a folder. Give the name of "
        "one, or choose a picture by --what.",
        folder.string()));
  painter.prepare(wanted, all);
  std::vector<Picture> pictures;
  pictures.reserve(wanted.size());
  for (const Kind& kind : wanted) pictures.push_back(painter.draw(kind));
  const UnfinishedWork unfinished;
  if (all) fs::create_directories(folder, error);
  if (error) throw FileError(fmt::format("cannot create the folder {}: {}", folder.string(), error.message()));
  std::vector<DrawnPicture> drawn;
  for (Index i = 0; i < wanted.size(); ++i) {
    const fs::path output = all ? folder / fmt::format("{}.png", wanted[i].name) : fs::path(request.output);
    if (all) check_output(output.string(), {});
    write_picture(output, pictures[i]);
    drawn.push_back({output.string(), pictures[i].caption});
  }
  if (request.display) request.display->finish();
  return drawn;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
