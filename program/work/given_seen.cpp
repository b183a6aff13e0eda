#include <harmonium/program/work/given_seen.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/atomic_file.hpp>
#include <harmonium/framework/files/row_writer.hpp>
#include <harmonium/framework/run/column_names.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/program/work/clamp_words.hpp>
#include <harmonium/program/work/columns_by_name.hpp>
#include <harmonium/program/work/command_options.hpp>
#include <harmonium/program/work/row_texts.hpp>
#include <harmonium/program/work/table_samples.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index means_at_once = 2000;  // rows: what is in memory does not grow with the data

/// Whether the way looks away from the classes of the data: that is what is asked for, or nobody asks for those of the data.
bool leaves_classes_out(TransformWay way) { return way == TransformWay::classes || way == TransformWay::unlabeled; }

/// What was seen of the rows: all that they hold, but for what --clamp names, and for classes that are left out.
Clamp seen_of_rows(const TransformRequest& request, const ModelHeader& header, const Layout& layout, TransformWay way,
                   const Dataset& data) {
  std::vector<ClampEntry> entries{{"rows", "rows"}};
  for (const ClampEntry& entry : clamp_in_units(request.clamp, header, layout)) {
    if (!entry.text.ends_with("=free"))
      throw ConfigError(fmt::format(
          "--clamp {}: each row holds what it has. Name what counts as missing, LAYER=free, LAYER[UNIT]=free, "
          "LAYER[BEGIN:END]=free or COLUMN=free.",
          entry.given));
    entries.push_back(entry);
  }
  if (label_place(layout) && leaves_classes_out(way)) {
    const std::string label = fmt::format("{}=free", label_layer);
    entries.push_back({label, label});
  }
  return Clamp(entries, layout, nullptr, [&](const std::string&) { return data; });
}

ChainAverage average_of(const TransformRequest& request) {
  constexpr std::uint64_t usual_steps = 1000, usual_chains = 8;
  const Index steps = request.steps.value_or(usual_steps), warm_up = steps / 5;
  return {.chains_of_row = request.chains.value_or(usual_chains), .warm_up = warm_up, .steps = steps - warm_up};
}

std::string number_of_rows(Index rows) { return fmt::format("{} {}", rows, rows == 1 ? "row" : "rows"); }

}  // namespace

void tell_no_chains(const TransformRequest& request) {
  if (request.display && (request.steps || request.chains))
    request.display->warn(
        fmt::format("{}: no row takes chains, and none are run.", request.steps ? "--steps" : "--chains"));
}

GivenSeen::GivenSeen(const TransformRequest& request, const ModelHeader& header, const EnergyModel& model,
                     LayerId layer, TransformWay way, const Dataset& data, const Registries& registries)
    : request_(request),
      header_(header),
      model_(model),
      layer_(layer),
      way_(way),
      data_(data),
      units_(data_units_of(request.model, header, model.layout())),
      clamp_(seen_of_rows(request, header, model.layout(), way, data)),
      means_(model, clamp_, data.rows(), complete() ? std::nullopt : std::optional(layer)) {
  for (const auto& [option, file] :
       {std::pair{"--errors", &request.errors}, {"--spread", &request.spread}, {"--truth", &request.truth}})
    for (Index c = 0; c < columns() && complete() && !request.raw && !file->empty(); ++c)
      if (!units_.column_alone(c))
        throw ConfigError(fmt::format(
            "{0}: the data were whitened, and the errors of the model's units are not those of its columns. Add "
            "--raw, or leave {0} out.",
            option));
  if (!request.spread.empty()) means_.want_variances();
  if (means_.estimated() == 0) {
    tell_no_chains(request);
    return;
  }
  Value effective;
  means_.take(registries.make<Sampler>(component_spec(make_table(), "sampler", "gibbs"), effective),
              average_of(request));
}

void GivenSeen::judge_by(const Dataset& truth) {
  if (truth.rows() != data_.rows())
    throw ConfigError(fmt::format(
        "--truth {}: it has {}, and {} {} to be completed. Give the same rows in the same order.", request_.truth,
        number_of_rows(truth.rows()), number_of_rows(data_.rows()), data_.rows() == 1 ? "is" : "are"));
  const RowTexts rows(header_, model_.layout(), request_.model);
  std::vector<std::string> names = rows.names();
  for (Index f = names.size(); f < rows.columns(); ++f) names.push_back(fmt::format("column {}", f));
  score_.emplace(request_.truth, truth, model_.layout(), rows.fields(), std::move(names),
                 request_.raw ? nullptr : &units_);
  means_.want_variances();
}

Index GivenSeen::columns() const {
  const Layout& layout = model_.layout();
  return complete() ? layout.columns(layout.observed()) : layout[layer_].columns();
}

Index GivenSeen::columns_written() const {
  if (!request_.likeliest) return columns();
  return complete() ? RowTexts(header_, model_.layout(), request_.model).columns() : 1;
}

/// Those of samples.
std::vector<std::string> GivenSeen::names() const {
  const Layout& layout = model_.layout();
  if (complete()) {
    const std::vector<std::string> own = names_of_observed(header_, layout);
    return own.size() == columns() ? own : names_of_units(layout, layout.observed());
  }
  if (classes() && !class_words(header_.config).empty()) return names_of_classes(header_, layout);
  LayerSet own;
  return names_of_units(layout, own.add(layer_));
}

Matrix<Real> GivenSeen::completed(const Matrix<double>& means, Index first) const {
  Matrix<Real> rows = zeros<Real>(means.shape(0), means.shape(1));
  for (Index r = 0; r < means.shape(0); ++r)
    for (Index c = 0; c < means.shape(1); ++c) rows(r, c) = static_cast<Real>(means(r, c));
  if (request_.raw || !complete()) return rows;
  units_.undo(as_matrix(rows));
  clamp_.write_as_given(as_matrix(rows), units_, first);
  return rows;
}

FilesBesideMeans GivenSeen::files_beside() const {
  const DataUnits* const units = complete() && !request_.raw ? &units_ : nullptr;
  if (!request_.likeliest) return {request_, data_.rows(), columns(), names(), {}, units};
  if (!complete())
    return {request_, data_.rows(), columns(), {label_column_name(header_)}, {{0, columns(), ColumnKind::categorical}},
            units};
  const RowTexts texts(header_, model_.layout(), request_.model);
  return {request_, data_.rows(), columns(), texts.names(), texts.fields(), units};
}

void GivenSeen::for_each_piece(const Execution& execution,
                               FunctionRef<void(const Matrix<double>& means, Index first)> write) {
  const auto progress = [&](double done) {
    execution.executor.check_stop();
    if (request_.display) request_.display->progress(done / static_cast<double>(data_.rows()), "transforming");
  };
  FilesBesideMeans beside = files_beside();
  for (Index first = 0; first < data_.rows(); first += means_at_once) {
    const EstimatedMeans found = means_.of_rows(first, std::min(means_at_once, data_.rows() - first), execution,
                                                [&](double done) { progress(static_cast<double>(first) + done); });
    if (score_) score_->add(found, clamp_.mask(first, found.means.shape(0), 1), first);
    write(found.means, first);
    beside.write(found);
  }
  beside.commit();
}

void GivenSeen::write_likeliest(const Execution& execution) {
  const RowTexts texts(header_, model_.layout(), request_.model);
  const std::vector<std::string> words = class_words(header_.config);
  AtomicFile file(request_.output);
  if (!complete()) file.write(csv_line({label_column_name(header_)}));
  else if (!texts.names().empty()) file.write(csv_line(texts.names()));
  for_each_piece(execution, [&](const Matrix<double>& means, Index first) {
    const Matrix<Real> rows = completed(means, first);
    std::string lines;
    for (Index r = 0; r < rows.shape(0); ++r) {
      const std::span<const Real> row = row_of(rows, r);
      lines += csv_line(complete() ? texts.texts(row) : std::vector<std::string>{likeliest_class(row, words)});
    }
    file.write(lines);
  });
  file.commit();
}

void GivenSeen::write(const Execution& execution) {
  if (request_.likeliest) return write_likeliest(execution);
  if (!classes()) {
    RowWriter<Real> file(request_.output, data_.rows(), columns(), names());
    for_each_piece(execution, [&](const Matrix<double>& means, Index first) {
      const Matrix<Real> rows = completed(means, first);
      file.write(as_matrix(rows));
    });
    file.commit();
    return;
  }
  RowWriter<double> file(request_.output, data_.rows(), columns(), names());
  for_each_piece(execution, [&](const Matrix<double>& means, Index) { file.write(as_matrix(means)); });
  file.commit();
}

std::string GivenSeen::words_of_chains() const {
  const ChainAverage& average = means_.average();
  return fmt::format("estimated by {} chains of {} steps each, standard errors up to {:.2g} ({})",
                     average.chains_of_row, average.warm_up + average.steps, means_.largest_error(),
                     request_.errors.empty() ? "--errors FILE writes them" : "in " + request_.errors);
}

/// Both stand beside numbers that were filled in, and are taken for each other.
std::string GivenSeen::words_of_files() const {
  std::string text;
  if (!complete() || means_.with_holes() == 0) return text;
  if (!request_.errors.empty())
    text += fmt::format("; {} has the errors of means{} by sampling, not the spread of what is missing{}",
                        request_.errors, request_.likeliest ? ", of words of their probabilities," : "",
                        request_.spread.empty() ? " (--spread FILE writes that)" : "");
  if (!request_.spread.empty())
    text += fmt::format("; {} has the standard deviations of what is missing{}", request_.spread,
                        request_.likeliest ? ", of words the probability that it is another" : "");
  return text;
}

std::string GivenSeen::words() const {
  const Index estimated = means_.estimated(), holes = means_.with_holes();
  if (classes()) {
    const char* const sums = words_of_way(way_, false);
    if (estimated == data_.rows()) return words_of_chains();
    return estimated == 0 ? sums : fmt::format("{}, but {} {}", sums, number_of_rows(estimated), words_of_chains());
  }
  const char* const sums = "by sums over what is missing (exact)";
  std::string text = complete() || holes == data_.rows() ? "" : words_of_way(way_, false);
  if (!text.empty() && holes > 0) text += "; ";
  if (complete() || holes > 0) text += fmt::format("{} with holes", number_of_rows(holes));
  if (holes > 0 && estimated == 0) text += fmt::format(", {}", sums);
  if (holes > 0 && estimated == holes) text += fmt::format(", {}", words_of_chains());
  if (estimated > 0 && estimated < holes)
    text += fmt::format(", {} {}, {} {}", holes - estimated, sums, estimated, words_of_chains());
  text += words_of_files();
  if (way_ == TransformWay::unlabeled && holes == data_.rows())
    text += "; labels summed out (--given-label takes those of the data)";
  if (way_ == TransformWay::closed && request_.given_label && data_.has_missing())
    text += "; a class that a row lacks is summed out";
  return text;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
