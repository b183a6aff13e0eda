#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/unfinished.hpp>
#include <harmonium/framework/files/folder_of_sweep.hpp>
#include <harmonium/framework/files/hdf5.hpp>
#include <harmonium/framework/files/output_folder.hpp>
#include <harmonium/framework/files/sample_shape.hpp>
#include <harmonium/framework/pictures/gnuplot.hpp>
#include <harmonium/framework/pictures/picture_index.hpp>
#include <harmonium/framework/pictures/run_curves.hpp>
#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/framework/run/run_folder.hpp>
#include <harmonium/framework/run/run_pictures.hpp>
#include <harmonium/program/work/command_options.hpp>
#include <harmonium/program/work/commands.hpp>
#include <harmonium/program/work/contact_map.hpp>
#include <harmonium/program/work/data_argument.hpp>
#include <harmonium/program/work/drawn_rows.hpp>
#include <harmonium/program/work/model_painter.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

namespace fs = std::filesystem;

/// Refuses options that the pictures asked for would not heed.
void check_heeded(const DrawRequest& request, const std::string& who, bool tensor, bool chains, bool data) {
  const auto refuse = [&](const char* option, const char* when) {
    throw ConfigError(fmt::format("{}: it has no meaning for {}. Leave it out, or draw {}.", option, who, when));
  };
  if (!tensor && !request.tensor.empty()) refuse("--tensor", "filters of a model");
  if (!chains && request.steps) refuse("--steps", "samples or chains of a model");
  if (!chains && !request.sampler.empty()) refuse("--sampler", "samples or chains of a model");
  if (!chains && !request.clamp.empty()) refuse("--clamp", "samples or chains of a model");
  if (!chains && request.beta != 1.0)
    throw ConfigError(
        fmt::format("--beta: it is for samples and chains of a model, and not for {}. Leave it out.", who));
  if (!data && !request.data.empty()) refuse("--data", "data, reconstructions or chains of a model");
}

/// The file of one picture: that of --output or, where this is a folder, the one of that name in it.
std::string picture_file(const DrawRequest& request, const std::string& name) {
  const fs::path output = request.output;
  std::error_code error;
  return fs::is_directory(output, error) ? (output / name).string() : request.output;
}

void check_picture_output(const std::string& output, const std::vector<std::string>& inputs) {
  if (output.empty())
    throw ConfigError("draw: --output FILE.png is missing; only all pictures of a run have a place of their own.");
  if (fs::path(output).extension() != ".png")
    throw ConfigError(fmt::format(
        "--output {}: pictures are written as .png. Give a name that ends so, or a folder that exists.", output));
  check_output(output, inputs);
}

std::vector<std::string> files_read(const DrawRequest& request, const std::string& model) {
  std::vector<std::string> files{model, request.data};
  for (const std::string& text : request.clamp) files.push_back(file_of_clamp(text));
  return files;
}

/// The kinds that are asked for by name; none where nothing is.
std::vector<PictureKind> named_kinds(const std::string& name) {
  if (name.empty()) return {};
  std::vector<std::string> names;
  for (const PictureKind& kind : picture_kinds) {
    if (name == kind.name) return {kind};
    names.emplace_back(kind.name);
  }
  names.emplace_back(curves_picture);
  names.emplace_back(contacts_picture);
  throw ConfigError(fmt::format("--what {}: there is no such picture{}. Known: {}.", name, did_you_mean(name, names),
                                fmt::join(names, ", ")));
}

DrawnPicture draw_file(const DrawRequest& request, const Registries& builtin) {
  const Registries registries = with_plugins(builtin, request, make_table());
  const std::string name = name_of_rows(request.input, registries);
  if (!request.what.empty() && request.what != "data" && request.what != "samples")
    throw ConfigError(
        fmt::format("--what {}: {} holds rows of numbers, not a model. Name a model, or leave --what out.",
                    request.what, request.input));
  check_heeded(request, "a file of data", false, false, false);
  PictureStyle style = style_of(request);
  const std::string output = picture_file(request, request.what == "samples" ? "samples.png" : "data.png");
  check_picture_output(output, {file_named_in(request.input)});
  const auto [table, classes, probable, guessed] = rows_to_draw(request, registries);
  if (!guessed.empty()) style.shape = guessed;
  if (!classes.empty() && request.display)
    request.display->warn(
        fmt::format("{}: the last {} columns hold {}, which the line of the picture tells.{}", name,
                    table.cols - num_values(*style.shape),
                    probable ? "probabilities of classes, the likeliest of each row" : "one class a row",
                    guessed.empty() ? "" : fmt::format(" --shape {} draws them as pixels, too.", table.cols)));
  const Picture picture = draw_rows(table, name, style, classes);
  write_picture(output, picture);
  return {output, picture.caption};
}

/// The curves among all pictures of a run: left out where nothing was measured, and with a word where there is no gnuplot.
std::optional<DrawnPicture> draw_curves_into(const DrawRequest& request, const fs::path& folder) {
  const fs::path log = fs::path(request.input) / "metrics.jsonl", output = folder / "curves.svg";
  std::error_code error;
  if (!fs::exists(log, error)) return {};
  const auto gnuplot = find_gnuplot();
  if (!gnuplot) {
    if (request.display) request.display->warn(without_gnuplot("the curves of the run are left out"));
    return {};
  }
  check_output(output.string(), {});
  const auto caption = draw_run_curves(*gnuplot, log, output);
  if (!caption) return {};
  return DrawnPicture{output.string(), *caption};
}

/// Whether all pictures of a run are asked for: no kind, and no name of one picture.
bool wants_all(const DrawRequest& request) {
  const bool one = fs::path(request.output).extension() == ".png" && !fs::is_directory(request.output);
  return request.what.empty() && fs::is_directory(request.input) && !one;
}

std::vector<DrawnPicture> draw_model(const DrawRequest& request, const std::string& path,
                                     std::vector<PictureKind> wanted, const Registries& registries) {
  const bool all = wants_all(request);
  if (all) wanted.assign(std::begin(picture_kinds), std::end(picture_kinds));
  else if (wanted.empty()) wanted = named_kinds("filters");
  const std::string one = all ? "" : picture_file(request, fmt::format("{}.png", wanted[0].name));
  if (!all) {
    const PictureKind& k = wanted[0];
    check_heeded(request, k.name, k.tensor, k.chains, k.data);
    check_picture_output(one, files_read(request, path));
  }
  ModelPainter painter(request, path, registries);
  const fs::path folder = request.output.empty() ? fs::path(request.input) / "pictures" : fs::path(request.output);
  std::error_code error;
  if (all && fs::exists(folder, error) && !fs::is_directory(folder, error))
    throw ConfigError(fmt::format(
        "--output {}: a file of this name exists, and the pictures of a run go to a folder. Give the name of "
        "one, or choose a picture by --what.",
        folder.string()));
  if (all && folder.extension() == ".svg" && !fs::exists(folder, error))
    throw ConfigError(fmt::format(
        "--output {}: all pictures of a run go to a folder, and this is the name of a file. Name the picture "
        "that is meant, by --what curves, or give the name of a folder.",
        folder.string()));
  if (all) check_picture_index(folder);
  painter.prepare(wanted, all ? ModelPainter::Unoffered::leave_out : ModelPainter::Unoffered::refuse);
  std::vector<Picture> pictures;
  pictures.reserve(wanted.size());
  for (const PictureKind& kind : wanted) pictures.push_back(painter.draw(kind));
  const UnfinishedWork unfinished;
  if (all) create_folders(folder);
  std::vector<DrawnPicture> drawn;
  for (Index i = 0; i < wanted.size(); ++i) {
    const fs::path output = all ? folder / fmt::format("{}.png", wanted[i].name) : fs::path(one);
    if (all) check_output(output.string(), {});
    write_picture(output, pictures[i]);
    drawn.push_back({output.string(), pictures[i].caption});
  }
  if (request.display) request.display->finish();
  if (!all) return drawn;
  if (auto curves = draw_curves_into(request, folder)) drawn.push_back(std::move(*curves));
  write_picture_index(folder);
  return drawn;
}

/// Of pictures without tiles: refuses all options of these, and what is no name for what gnuplot draws.
std::string figure_file(const DrawRequest& request, const std::string& what, const char* are) {
  check_heeded(request, what, false, false, false);
  const std::pair<const char*, bool> others[] = {{"--shape", !request.shape.empty()},
                                                 {"--count", request.count > 0},
                                                 {"--columns", request.columns > 0},
                                                 {"--set", !request.set.empty()}};
  for (const auto& [option, given] : others)
    if (given) throw ConfigError(fmt::format("{}: it has no meaning for {}. Leave it out.", option, what));
  std::string output = picture_file(request, what + ".svg");
  if (output.empty()) throw ConfigError("draw: --output FILE.svg is missing.");
  check_ends_as_figure(output, are);
  return output;
}

/// The curves of a run, alone.
DrawnPicture draw_curves(const DrawRequest& request) {
  const fs::path log = fs::path(request.input) / "metrics.jsonl";
  std::error_code error;
  if (!fs::exists(log, error)) {
    refuse_sweep(request.input);
    throw ConfigError(fmt::format(
        "{}: curves are of a run, and this is no folder with metrics.jsonl. Name the folder of a run.", request.input));
  }
  const std::string output = figure_file(request, curves_picture, "curves are");
  if (!request.plugins.empty()) throw ConfigError("--plugin: it has no meaning for curves. Leave it out.");
  check_output(output, {log.string()});
  const auto gnuplot = find_gnuplot();
  if (!gnuplot) throw FileError(without_gnuplot("there are no curves"));
  const auto caption = draw_run_curves(*gnuplot, log, output);
  if (!caption) throw DataError(fmt::format("{}: it holds no figures, so that there are no curves.", log.string()));
  return {output, *caption};
}

/// The map of a model's pairs.
DrawnPicture draw_contacts(const DrawRequest& request, const std::string& model, const Registries& registries) {
  if (model.empty())
    throw ConfigError(fmt::format(
        "--what {}: it is of the couplings of a model, and {} is none. Name a model, or the folder of a run.",
        contacts_picture, request.input));
  const std::string output = figure_file(request, contacts_picture, "a map of contacts is");
  check_output(output, {model});
  return {output, draw_contact_map(request, model, output, registries)};
}

}  // namespace

std::string drawn_model(const DrawRequest& request) {
  const fs::path input = request.input;
  std::error_code error;
  if (!fs::exists(input, error)) {
    if (request.what == curves_picture) throw ConfigError(fmt::format("{}: no such file or folder", request.input));
    return "";  // FILE:KEY=VALUE, or a source that makes its rows
  }
  if (request.what == curves_picture) return "";
  if (fs::is_directory(input, error)) {
    if (fs::exists(input / "model.h5", error)) return (input / "model.h5").string();
    if (const auto checkpoint = resume_point(input).checkpoint) return checkpoint->string();
    refuse_sweep(request.input);
    throw ConfigError(
        fmt::format("{}: a folder without model.h5 and without checkpoints. Name the folder of a run, a model, or a "
                    "file of data.",
                    request.input));
  }
  if (input.extension() == ".toml") return request.input;  // which is refused as a model, with what makes one of it
  return is_hdf5(request.input) && says_it_is_model(request.input) ? request.input : "";
}

std::vector<DrawnPicture> draw(const DrawRequest& request, const Registries& registries) {
  if (const char* option = request.pairs.option(); option && request.what != contacts_picture)
    throw ConfigError(fmt::format("{} is for the map of pairs. Give --what {} too.", option, contacts_picture));
  const std::string path = drawn_model(request);
  if (request.what == curves_picture) return {draw_curves(request)};
  if (request.what == contacts_picture) return {draw_contacts(request, path, registries)};
  std::vector<PictureKind> wanted = named_kinds(request.what);
  if (path.empty()) return {draw_file(request, registries)};
  return draw_model(request, path, std::move(wanted), registries);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
