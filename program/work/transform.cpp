#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/core/copies.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/row_writer.hpp>
#include <harmonium/framework/inference/latent_law.hpp>
#include <harmonium/framework/inference/posterior.hpp>
#include <harmonium/framework/run/column_names.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/program/work/command_options.hpp>
#include <harmonium/program/work/commands.hpp>
#include <harmonium/program/work/data_argument.hpp>
#include <harmonium/program/work/given_seen.hpp>
#include <harmonium/program/work/model_at_beta.hpp>
#include <harmonium/program/work/observed_rows.hpp>
#include <harmonium/program/work/row_table.hpp>
#include <harmonium/program/work/table_samples.hpp>
#include <harmonium/program/work/transform_way.hpp>
#include <harmonium/program/work/transformed_data.hpp>
#include <harmonium/program/work/unlabeled_law.hpp>
#include <harmonium/program/work/upward_pass.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index rows_at_once = 2000;  // what is in memory beside the data does not grow with it

/// What is asked for, read and found to go together.
class Transformation {
 public:
  Transformation(const TransformRequest& request, const Registries& builtin);
  /// Writes the file; returns the line that says what is in it.
  std::string write();

 private:
  /// The latent layers given these rows, of which the first is `first`.
  Chains latent(const Chains& rows, Index first);
  void progress(Index done) const {
    executor_.check_stop();
    if (request_.display)
      request_.display->progress(static_cast<double>(done) / static_cast<double>(data_->rows()), "transforming");
  }
  void write_latent();
  /// --rows: which rows they are.
  void write_numbers() const;
  std::vector<std::string> names() const {
    LayerSet own;
    return names_of_units(model_->layout(), own.add(layer_));
  }
  std::string which_layer() const;

  const TransformRequest& request_;
  Value options_;
  ModelHeader header_;
  Registries registries_;
  std::unique_ptr<EnergyModel> model_;
  Executor executor_;
  RandomSource random_;
  LayerId layer_{};
  TransformWay way_ = TransformWay::closed;
  std::optional<Dataset> data_, truth_;
  std::optional<GivenSeen> seen_;  ///< of rows with holes, and of the ways that are about these
  double moved_ = 0.0;             ///< by mean field: the largest move of a mean in the last iteration
};

Transformation::Transformation(const TransformRequest& request, const Registries& builtin)
    : request_(request),
      options_(command_options(request.set, {"data"})),
      header_(read_model_header(request.model)),
      registries_(with_plugins(builtin, request, header_)),
      executor_(request.threads, request.stop),
      random_(random_of(request, header_.config)) {
  const std::string extension = std::filesystem::path(request.output).extension().string();
  if (extension != ".npy" && extension != ".csv")
    throw ConfigError(
        fmt::format("--output {}: rows are written as .npy or .csv. Give a name that ends so.", request.output));
  if (request.likeliest && extension != ".csv")
    throw ConfigError(
        fmt::format("--output {}: --likeliest writes words, and these are written as .csv. Give a name that ends so.",
                    request.output));
  if (!request.errors.empty()) check_table_name(request.errors, "--errors", "standard errors are");
  if (!request.spread.empty()) check_table_name(request.spread, "--spread", "standard deviations are");
  if (!request.rows.empty()) check_table_name(request.rows, "--rows", "numbers and classes of rows are");
  model_ = load_model(request.model, header_, registries_);
  layer_ = transformed_layer(request, header_, model_->layout());
  way_ = transform_way(request, *model_, layer_);
  model_ = model_at_beta(std::move(model_), request.beta);
  data_ = rows_to_transform(request, header_, *model_, {layer_, way_}, options_, registries_, random_.child("data"));
  const bool seen = !request.clamp.empty() || !request.errors.empty() || lacks_units(*data_, model_->layout(), way_);
  if (takes_holes(way_) || seen) seen_.emplace(request, header_, *model_, layer_, way_, *data_, registries_);
  else tell_no_chains(request);
  if (request.truth.empty()) return;
  truth_ = true_rows(request, header_, model_->layout(), options_, registries_, random_.child("data"));
  seen_->judge_by(*truth_);
}

Chains Transformation::latent(const Chains& rows, Index first) {
  const auto chain = static_cast<std::uint32_t>(first);
  const Execution execution{executor_, random_.child("transform")};
  if (const bool unlabeled = way_ == TransformWay::unlabeled_upward; unlabeled || way_ == TransformWay::upward)
    return upward_pass(*model_, *stacked_machines(*model_), rows, request_.draws, unlabeled, chain, execution);
  if (way_ == TransformWay::unlabeled) return unlabeled_law(*model_, layer_, rows, request_.draws, chain, execution);
  if (way_ == TransformWay::mean_field) {
    double moved = 0.0;
    Chains means = mean_field_means(*model_, rows, {}, executor_, &moved);
    moved_ = std::max(moved_, moved);
    return means;
  }
  if (way_ == TransformWay::enumerated)
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

void Transformation::write_numbers() const {
  RowTable table;
  name_rows(table, *data_,
            request_.split.empty() ? source_of(request_.data, options_, registries_) : *header_.config.find("data"));
  write_rows(request_.rows, table, std::nullopt);
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
  if (seen_) seen_->write({executor_, random_.child("transform")});
  else write_latent();
  if (!request_.rows.empty()) write_numbers();
  const Layer& layer = model_->layout()[layer_];
  const char* const what = request_.draws                  ? "draws"
                           : way_ != TransformWay::classes ? "means"
                           : request_.likeliest            ? "the likeliest class"
                                                           : "probabilities";
  const char* const drawn =
      draws_bits(*data_) ? "; of rows whose bits were drawn once of gray values (data.binarize = \"each_epoch\"; "
                           "threshold draws none)"
                         : "";
  const bool of_words = is_table(header_) && !request_.likeliest && !request_.raw;
  const std::string split = request_.split.empty() ? "" : request_.split + " ";
  const std::string beta = request_.beta == 1.0 ? "" : fmt::format("; at beta = {:g}", request_.beta);
  if (way_ == TransformWay::completed)
    return fmt::format(
               "{}: {}rows completed by {}{}, {} x {}, {}{}{}{}\n", request_.output, split, words_of_way(way_, false),
               request_.likeliest ? ", of words the likeliest" : "", data_->rows(), seen_->columns_written(),
               seen_->words(), beta, drawn,
               of_words ? "; words as probabilities (--likeliest writes the words, as the data has them)" : "") +
           seen_->judgment();
  return fmt::format("{}: {} of layer '{}'{} given each {}row, {} x {}, {}{}{}\n", request_.output, what, layer.name,
                     which_layer(), split, data_->rows(), seen_ ? seen_->columns_written() : layer.columns(),
                     seen_ ? seen_->words() : words_of_way(way_, request_.draws), beta, drawn);
}

}  // namespace

std::string transform(const TransformRequest& request, const Registries& builtin) {
  std::string line = Transformation(request, builtin).write();
  if (request.display) request.display->finish();
  return line;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
