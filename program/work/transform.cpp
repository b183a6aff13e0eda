#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/core/copies.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/row_writer.hpp>
#include <harmonium/framework/inference/classification.hpp>
#include <harmonium/framework/inference/latent_law.hpp>
#include <harmonium/framework/inference/posterior.hpp>
#include <harmonium/framework/inference/rows_with_holes.hpp>
#include <harmonium/framework/run/column_names.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/program/work/columns_by_name.hpp>
#include <harmonium/program/work/command_options.hpp>
#include <harmonium/program/work/commands.hpp>
#include <harmonium/program/work/data_argument.hpp>
#include <harmonium/program/work/observed_rows.hpp>
#include <harmonium/program/work/table_samples.hpp>
#include <harmonium/program/work/unlabeled_law.hpp>
#include <harmonium/program/work/upward_pass.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index rows_at_once = 2000;  // what is in memory beside the data does not grow with it

/// How a layer is found given each row.
enum class Way : std::uint8_t { closed, enumerated, mean_field, classes, unlabeled, upward };

/// What is asked for, read and found to go together.
class Transformation {
 public:
  Transformation(const TransformRequest& request, const Registries& builtin);
  /// Writes the file; returns the line that says what is in it.
  std::string write();

 private:
  LayerId find_layer() const;
  Way find_way() const;
  Way latent_way() const;
  void load_data(const Value& options);
  /// The latent layers given these rows, of which the first is `first`.
  Chains latent(const Chains& rows, Index first);
  void progress(Index done) const {
    executor_.check_stop();
    if (request_.display)
      request_.display->progress(static_cast<double>(done) / static_cast<double>(data_->rows()), "transforming");
  }
  void write_latent();
  void write_classes();
  /// Of labels that words name, by these, as samples are.
  std::vector<std::string> names() const {
    if (way_ == Way::classes && !class_words(header_.config).empty())
      return names_of_classes(header_, model_->layout());
    LayerSet own;
    return names_of_units(model_->layout(), own.add(layer_));
  }
  [[noreturn]] void ask_for_rows() const;
  void check_holes() const;
  std::string which_layer() const;

  const TransformRequest& request_;
  ModelHeader header_;
  Registries registries_;
  std::unique_ptr<EnergyModel> model_;
  Executor executor_;
  RandomSource random_;
  LayerId layer_{};
  Way way_ = Way::closed;
  std::optional<Dataset> data_;
  double moved_ = 0.0;  ///< by mean field: the largest move of a mean in the last iteration
};

Transformation::Transformation(const TransformRequest& request, const Registries& builtin)
    : request_(request),
      header_(read_model_header(request.model)),
      registries_(with_plugins(builtin, request, header_)),
      executor_(request.threads, request.stop),
      random_(random_of(request, header_.config)) {
  const Value options = command_options(request.set, {"data"});
  const std::string extension = std::filesystem::path(request.output).extension().string();
  if (extension != ".npy" && extension != ".csv")
    throw ConfigError(
        fmt::format("--output {}: rows are written as .npy or .csv. Give a name that ends so.", request.output));
  model_ = load_model(request.model, header_, registries_);
  layer_ = find_layer();
  way_ = find_way();
  load_data(options);
}

LayerId Transformation::find_layer() const {
  const Layout& layout = model_->layout();
  if (request_.layer.empty()) {
    if (!layout.latent().empty()) return layout.ids(layout.latent()).front();
    throw CapabilityError(fmt::format(
        "{}: the model has no latent layer. Where it observes labels, --layer label has their probabilities.",
        request_.model));
  }
  std::vector<std::string> known;
  for (const Layer& l : layout.layers())
    if (l.role == Role::latent || l.name == label_layer) known.push_back(l.name);
  if (std::ranges::find(known, request_.layer) != known.end()) return layout.find(request_.layer);
  throw ConfigError(fmt::format(
      "--layer {}: the model has no such latent layer, nor is it that of labels{}. Known: {}.", request_.layer,
      did_you_mean(request_.layer, known), known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))));
}

Way Transformation::find_way() const {
  const bool of_labels = model_->layout()[layer_].role == Role::observed;
  if (!of_labels) return latent_way();
  if (!request_.phase.empty())
    throw ConfigError(fmt::format("--phase {}: the probabilities of labels are exact. Leave it out.", request_.phase));
  if (request_.draws)
    throw ConfigError(
        "--draws: of labels there are probabilities. Leave it out, or draw by 'harmonium sample --clamp'.");
  if (!offers_classification(*model_, label_layer))
    throw CapabilityError("--layer label: the layer is not one categorical unit, or the model has no free energy.");
  return Way::classes;
}

Way Transformation::latent_way() const {
  const std::string& phase = request_.phase;
  if (stacked_machines(*model_)) {
    if (phase.empty()) return Way::upward;
    throw ConfigError(
        fmt::format("--phase {}: a stack is passed up through, machine by machine. Leave it out.", phase));
  }
  const bool labels = offers_classification(*model_, label_layer);
  if (labels && phase.empty() && posterior_factorizes(*model_) && !request_.given_label) return Way::unlabeled;
  if (request_.given_label && !labels)
    throw ConfigError("--given-label: the model observes no labels of one class a row. Leave it out.");
  const bool closed = posterior_factorizes(*model_), enumerated = offers_enumerated_law(*model_);
  if (phase.empty()) {
    if (closed) return Way::closed;
    if (enumerated) return Way::enumerated;
    throw CapabilityError(fmt::format(
        "layer '{}': latent units are coupled given the observed ones, and their states are too many to add up (more "
        "than 2^{}). Add --phase mean_field for means that are approximate.",
        model_->layout()[layer_].name, most_enumerated_bits));
  }
  const std::vector<std::string> known{"posterior_mean", "exact", "mean_field"};
  if (std::ranges::find(known, phase) == known.end())
    throw ConfigError(fmt::format("--phase {}: there is no such way{}. Known: {}.", phase, did_you_mean(phase, known),
                                  fmt::join(known, ", ")));
  if (phase == "posterior_mean" && !closed)
    throw CapabilityError("--phase posterior_mean: latent units are coupled given the observed ones. Try exact.");
  if (phase == "exact" && !closed && !enumerated)
    throw CapabilityError(
        fmt::format("--phase exact: the latent states are too many to add up (more than 2^{}). Try mean_field.",
                    most_enumerated_bits));
  if (phase == "mean_field") {
    if (request_.draws)
      throw ConfigError("--phase mean_field: it gives means, and no draws. Leave --draws or --phase out.");
    if (!offers_mean_field(*model_))
      throw CapabilityError("--phase mean_field: the model offers no conditionals for laws that factorize.");
    return Way::mean_field;
  }
  return closed ? Way::closed : Way::enumerated;
}

/// Rows that are to be named, with the file that the model was trained on as the one most likely meant.
[[noreturn]] void Transformation::ask_for_rows() const {
  const Value* own = header_.config.find("data");
  const Value* path = own && own->is_table() ? own->find("path") : nullptr;
  throw ConfigError(fmt::format(
      "transform: DATA is missing. Name the rows behind the model, or by --data{}.",
      path && path->is_string() ? "; the model was trained on rows of " + std::get<std::string>(path->data) : ""));
}

void Transformation::load_data(const Value& options) {
  if (request_.data.empty()) ask_for_rows();
  const DataArgument given = data_argument(request_.data, options, registries_, "");
  check_output(request_.output, {request_.model, given.file});
  const Value spec = data_spec(header_, model_->layout(), given.file, given.options, request_.display);
  const RandomSource random = random_.child("data");
  if (way_ != Way::classes && way_ != Way::unlabeled) {
    data_ = load_rows(request_.model, spec, model_->layout(), registries_, random);
    return;
  }
  data_ = load_partial_rows(request_.model, spec, model_->layout(), registries_, random);
  if (!data_->has_missing()) return;
  if (way_ == Way::unlabeled)
    throw CapabilityError(
        fmt::format("{}: entries are missing, and latent units are given complete rows. --layer label tells the "
                    "classes of rows with "
                    "holes, and 'harmonium sample --clamp' draws what is missing.",
                    data_->name()));
  check_holes();
}

/// What is missing of a row is summed over for each class.
void Transformation::check_holes() const {
  const ObservedRows given(*data_, model_->layout());
  for (Index first = 0; first < data_->rows(); first += rows_at_once) {
    const Index count = std::min(rows_at_once, data_->rows() - first);
    HeldMask with_class = given.seen(first, count);
    const std::vector<double> ways = completions(model_->layout(), with_class.hold(layer_), count);
    for (Index r = 0; r < count; ++r)
      if (ways[r] > most_completions)
        throw CapabilityError(fmt::format(
            "{}: what row {} (counted from 0) lacks {}, and classes are told by sums over at most {:g} ways. Leave the "
            "row "
            "out, or draw its class by 'harmonium sample --clamp'.",
            data_->name(), first + r,
            std::isinf(ways[r]) ? "is a real number" : fmt::format("can be filled in in {:g} ways", ways[r]),
            most_completions));
  }
}

Chains Transformation::latent(const Chains& rows, Index first) {
  const auto chain = static_cast<std::uint32_t>(first);
  const Execution execution{executor_, random_.child("transform")};
  if (way_ == Way::upward)
    return upward_pass(*model_, *stacked_machines(*model_), rows, request_.draws, chain, execution);
  if (way_ == Way::unlabeled) return unlabeled_law(*model_, layer_, rows, request_.draws, chain, execution);
  if (way_ == Way::mean_field) {
    double moved = 0.0;
    Chains means = mean_field_means(*model_, rows, {}, executor_, &moved);
    moved_ = std::max(moved_, moved);
    return means;
  }
  if (way_ == Way::enumerated)
    return request_.draws ? enumerated_draws(*model_, rows, chain, execution)
                          : enumerated_means(*model_, rows, executor_);
  Posterior posterior;
  Chains result(model_->layout(), rows.size(), chain);
  if (request_.draws) {
    posterior.sample(*model_, rows, execution.random, result, executor_);
    return result;
  }
  const Moments& moments = posterior.moments(*model_, rows, executor_);
  copy(moments.mean[layer_], result.write(layer_));
  return result;
}

void Transformation::write_latent() {
  const Index rows = data_->rows();
  const ObservedRows given(*data_, model_->layout());
  RowWriter<Real> file(request_.output, rows, model_->layout()[layer_].columns(), names());
  for (Index first = 0; first < rows; first += rows_at_once) {
    const Chains found = latent(given.rows(first, std::min(rows_at_once, rows - first)), first);
    file.write(found.read(layer_));
    progress(first + found.size());
  }
  if (request_.display && moved_ > MeanFieldLimits{}.tolerance)
    request_.display->warn(fmt::format("mean field: means still moved by {:.2g} after {} iterations.", moved_,
                                       MeanFieldLimits{}.max_iterations));
  file.commit();
}

void Transformation::write_classes() {
  const Index rows = data_->rows();
  const ObservedRows given(*data_, model_->layout());
  RowWriter<double> file(request_.output, rows, model_->layout()[layer_].columns(), names());
  for (Index first = 0; first < rows; first += rows_at_once) {
    const Chains x = given.rows(first, std::min(rows_at_once, rows - first));
    const Matrix<double> p = class_probabilities(*model_, label_layer, x, given.seen(first, x.size()), 1.0, executor_);
    file.write(as_matrix(p));
    progress(first + x.size());
  }
  file.commit();
}

/// Of several latent layers the one that nobody named, and how another is had.
std::string Transformation::which_layer() const {
  const Layout& layout = model_->layout();
  const std::vector<LayerId> latent = layout.ids(layout.latent());
  if (!request_.layer.empty() || latent.size() < 2) return "";
  return fmt::format(" (the first of {}; --layer {} has the {} one)", latent.size(), layout[latent.back()].name,
                     stacked_machines(*model_) ? "top" : "last");
}

std::string Transformation::write() {
  if (way_ == Way::classes) write_classes();
  else write_latent();
  const Layer& layer = model_->layout()[layer_];
  const char* const what = request_.draws ? "draws" : way_ == Way::classes ? "probabilities" : "means";
  const char* const words[] = {"in closed form (posterior_mean, exact)",
                               "by adding up all latent states (exact)",
                               "by mean field (mean_field, not exact)",
                               "by the free energy of each class (exact)",
                               "labels summed out, in closed form (exact; --given-label takes those of the data)",
                               request_.draws ? "each given the layer below it (exact)"
                                              : "each given the means below it (exact for the first layer alone)"};
  const char* const drawn =
      draws_bits(*data_) ? "; of rows whose bits were drawn once of gray values (data.binarize = \"each_epoch\"; "
                           "threshold draws none)"
                         : "";
  return fmt::format("{}: {} of layer '{}'{} given each row, {} x {}, {}{}\n", request_.output, what, layer.name,
                     which_layer(), data_->rows(), layer.columns(), words[static_cast<int>(way_)], drawn);
}

}  // namespace

std::string transform(const TransformRequest& request, const Registries& builtin) {
  std::string line = Transformation(request, builtin).write();
  if (request.display) request.display->finish();
  return line;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
