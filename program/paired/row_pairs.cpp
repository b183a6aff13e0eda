#include <harmonium/program/paired/row_pairs.hpp>

#include <deque>
#include <numeric>
#include <span>
#include <utility>

#include <harmonium/framework/files/column_file.hpp>
#include <harmonium/program/stack/paired_bound.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// The columns of a table, and the numbers of those that no model has by itself.
class PairColumns {
 public:
  void add(std::string name, std::span<const Index> values, std::span<const std::string> words = {}) {
    columns_.push_back({std::move(name), values, words});
  }
  /// A figure of both models, and one − other − less.
  void add_figure(const std::string& name, const std::vector<double>& one, const std::vector<double>& other,
                  double less = 0.0) {
    add(name, one);
    add("against_" + name, other);
    std::vector<double> differences(one.size());
    for (Index r = 0; r < one.size(); ++r) differences[r] = one[r] - other[r] - less;
    add(name + "_difference", keep(std::move(differences)));
  }
  /// Keeps numbers until the table is written.
  const std::vector<double>& keep(std::vector<double> values) { return kept_.emplace_back(std::move(values)); }
  void write(const std::string& path) const { write_columns(path, columns_); }

 private:
  void add(std::string name, const std::vector<double>& values) {
    columns_.push_back({.name = std::move(name), .values = values});
  }

  std::vector<NamedColumn> columns_;
  std::deque<std::vector<double>> kept_;
};

std::vector<double> less(std::vector<double> values, double log_z) {
  for (double& v : values) v -= log_z;
  return values;
}

/// log p of each row, and the difference by that of log Z, which may be known better than the two.
void add_likelihoods(PairColumns& columns, const JudgedModel& one, const JudgedModel& other, const PairedLogZ& log_z) {
  const double log_z_one = one.found.log_z.value(), log_z_other = other.found.log_z.value();
  const double difference = log_z.difference.value_or(log_z_one - log_z_other);
  columns.add_figure("log_likelihood", columns.keep(less(log_sums(one.rows.judged), log_z_one)),
                     columns.keep(less(log_sums(other.rows.judged), log_z_other)),
                     difference - (log_z_one - log_z_other));
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Of each row the bound of a model that has one, and the log likelihood of the other, where both are known of all.
void add_bounds(PairColumns& columns, const JudgedModel& one, const JudgedModel& other, const PairedFigure& figure) {
  std::vector<double> a = log_sums_or_bounds(one), b = log_sums_or_bounds(other);
  if (a.empty() || b.empty()) return;
  const double log_z_one = mean(a) - figure.one, log_z_other = mean(b) - figure.other;
  columns.add_figure(figure.name, columns.keep(less(std::move(a), log_z_one)),
                     columns.keep(less(std::move(b), log_z_other)), figure.one - figure.other - figure.difference);
}

}  // namespace

void write_row_pairs(const std::string& path, const JudgedModel& one, const JudgedModel& other, const PairedLogZ& log_z,
                     const PairedRows& all) {
  const RowTable &a = one.rows.judged.table, &b = other.rows.judged.table;
  PairColumns columns;
  columns.add("row", a.row);
  std::vector<Index> places(a.name.size());
  std::iota(places.begin(), places.end(), Index{0});
  if (!places.empty()) columns.add("name", places, a.name);
  if (!a.of_class.empty()) columns.add("class", a.of_class, a.class_words);
  for (const PairedFigure& figure : all.figures) {
    if (figure.name == "log_likelihood") add_likelihoods(columns, one, other, log_z);
    if (figure.name == "variational_bound") add_bounds(columns, one, other, figure);
    if (figure.name == "pseudo_log_likelihood")
      columns.add_figure(figure.name, a.pseudo_log_likelihood, b.pseudo_log_likelihood);
    if (figure.name == "accuracy") {
      columns.add("predicted_class", a.predicted, a.predicted_word);
      columns.add("against_predicted_class", b.predicted, b.predicted_word);
      columns.add_figure(figure.name, a.accuracy, b.accuracy);
    }
    if (figure.name == "label_log_likelihood")
      columns.add_figure(figure.name, a.label_log_likelihood, b.label_log_likelihood);
  }
  columns.write(path);
}

}  // namespace v1
}  // namespace harmonium
