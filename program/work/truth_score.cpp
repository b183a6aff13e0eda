#include <harmonium/program/work/truth_score.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/xtensor.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index most_lines = 40;
constexpr double rounding = 1e-5;  // of numbers that were standardized, in single precision

/// Which columns of all observed layers are held, a row of bytes for each of `count` rows.
Matrix<std::uint8_t> held_columns(const HeldMask& mask, const Layout& layout, Index count) {
  Matrix<std::uint8_t> held = zeros<std::uint8_t>(count, layout.columns(layout.observed()));
  Index place = 0;
  for (const LayerId id : layout.ids(layout.observed())) {
    const Layer& layer = layout[id];
    const Index width = layer.columns() / layer.size;
    const auto units = mask.units(id, 0, count);
    for (Index r = 0; r < count; ++r)
      for (Index c = 0; c < layer.columns(); ++c)
        held(r, place + c) = mask.holds(id) || (units.rows > 0 && units.row(r)[c / width] != 0) ? 1 : 0;
    place += layer.columns();
  }
  return held;
}

Matrix<double> values_of(const Chains& rows, const Layout& layout) {
  Matrix<double> values = zeros<double>(rows.size(), layout.columns(layout.observed()));
  Index place = 0;
  for (const LayerId id : layout.ids(layout.observed())) {
    const ConstMatrixRef own = rows.read(id);
    for (Index r = 0; r < rows.size(); ++r)
      for (Index c = 0; c < own.cols; ++c) values(r, place + c) = static_cast<double>(own.row(r)[c]);
    place += own.cols;
  }
  return values;
}

/// Which of a field's words the numbers say, the likeliest of probabilities.
Index word_of(const RowField& field, std::span<const double> row) {
  const auto own = row.subspan(field.place, field.width);
  if (field.width > 1) return static_cast<Index>(std::ranges::max_element(own) - own.begin());
  return own[0] > (field.kind == ColumnKind::spin ? 0.0 : 0.5) ? 1 : 0;
}

std::string cell(double v) { return std::isfinite(v) ? fmt::format("{:.4g}", v) : "-"; }

}  // namespace

TruthScore::TruthScore(std::string file, const Dataset& truth, const Layout& layout, std::vector<RowField> fields,
                       std::vector<std::string> names, const DataUnits* units)
    : file_(std::move(file)),
      truth_(truth, layout),
      layout_(&layout),
      fields_(std::move(fields)),
      names_(std::move(names)),
      units_(units),
      tallies_(fields_.size()) {
  for (Index f = 0; f < fields_.size(); ++f)
    if (fields_[f].of_words()) tallies_[f].words.assign(std::max<Index>(fields_[f].width, 2), 0.0);
}

void TruthScore::add_word(Index f, std::span<const double> mean, std::span<const double> truth) {
  const Index own = word_of(fields_[f], truth);
  tallies_[f].cells += 1.0;
  tallies_[f].words[own] += 1.0;
  if (own == word_of(fields_[f], mean)) tallies_[f].right += 1.0;
}

void TruthScore::add_number(Index f, double t, double found, double in_spread) {
  Tally& tally = tallies_[f];
  tally.cells += 1.0;
  const double off = t - found, step = t - tally.mean;
  tally.squares += off * off;
  tally.mean += step / tally.cells;
  tally.spread += step * (t - tally.mean);
  if (!std::isfinite(in_spread)) return;
  tally.pulls += in_spread * in_spread;
  tally.pulled += 1.0;
}

void TruthScore::add(const EstimatedMeans& found, const HeldMask& seen, Index first) {
  const Index count = found.means.shape(0);
  const Matrix<double> truth = values_of(truth_.rows(first, count), *layout_);
  const Matrix<std::uint8_t> known = held_columns(truth_.seen(first, count), *layout_, count),
                             given = held_columns(seen, *layout_, count);
  Matrix<double> told = truth, means = found.means;
  for (Index r = 0; units_ && r < count; ++r) {
    units_->undo(row_of(told, r));
    units_->undo(row_of(means, r));
  }
  for (Index r = 0; r < count; ++r)
    for (Index f = 0; f < fields_.size(); ++f) {
      const auto [place, width] = std::pair(fields_[f].place, fields_[f].width);
      if (known(r, place) == 0) continue;
      if (given(r, place) == 0) {
        const double off = truth(r, place) - found.means(r, place);
        if (fields_[f].of_words()) add_word(f, row_of(found.means, r), row_of(truth, r));
        else add_number(f, told(r, place), means(r, place), off / std::sqrt(found.variances(r, place)));
        continue;
      }
      for (Index c = place; c < place + width; ++c)
        if (std::abs(truth(r, c) - found.means(r, c)) > rounding * std::max(1.0, std::abs(truth(r, c))))
          throw DataError(
              fmt::format("--truth: {}: row {} (counted from 0) has another value in column '{}' than the row that is "
                          "completed. Give the "
                          "same rows in the same order.",
                          file_, first + r, names_[f]));
    }
}

std::string TruthScore::numbers_text() const {
  std::string lines;
  Tally all;
  Index columns = 0;
  const auto line = [](const std::string& name, const Tally& t) {
    return fmt::format("{:<24}{:>8.0f}{:>14}{:>18}{:>18}\n", name, t.cells, cell(std::sqrt(t.squares / t.cells)),
                       cell(std::sqrt(t.spread / t.cells)), cell(std::sqrt(t.pulls / t.pulled)));
  };
  for (Index f = 0; f < fields_.size(); ++f) {
    const Tally& t = tallies_[f];
    if (fields_[f].of_words() || t.cells == 0.0) continue;
    ++columns;
    lines += line(names_[f], t);
    all.cells += t.cells, all.squares += t.squares, all.spread += t.spread, all.pulls += t.pulls,
        all.pulled += t.pulled;
  }
  if (columns > most_lines) lines = line(fmt::format("all {} columns", columns), all);
  return lines.empty() ? ""
                       : fmt::format("\n{:<24}{:>8}{:>14}{:>18}{:>18}\n", "numbers", "cells", "rms error",
                                     "of best constant", "in its spread") +
                             lines;
}

std::string TruthScore::words_text() const {
  std::string lines;
  for (Index f = 0; f < fields_.size(); ++f) {
    const Tally& t = tallies_[f];
    if (!fields_[f].of_words() || t.cells == 0.0) continue;
    lines += fmt::format("{:<24}{:>8.0f}{:>14}{:>18}\n", names_[f], t.cells, cell(t.right / t.cells),
                         cell(std::ranges::max(t.words) / t.cells));
  }
  return lines.empty()
             ? ""
             : fmt::format("\n{:<24}{:>8}{:>14}{:>18}\n", "words", "cells", "share right", "of best constant") + lines;
}

std::string TruthScore::text() const {
  const std::string lines = numbers_text() + words_text();
  if (lines.empty())
    return fmt::format("{}: nothing to judge: it lacks what the rows lack, or these are complete.\n", file_);
  return fmt::format("judged by what {} has where the rows have nothing:\n", file_) + lines;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
