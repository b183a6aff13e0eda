#include <harmonium/program/work/row_texts.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/data/table_source.hpp>
#include <harmonium/framework/run/column_names.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/program/work/columns_by_name.hpp>
#include <harmonium/program/work/table_samples.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

TableSchema schema_of_file(const ModelHeader& header, const std::string& model) {
  try {
    return schema_of(*header.config.find("data"));
  } catch (const ConfigError& error) {
    throw DataError(fmt::format("{}: config: {}", model, error.what()));
  }
}

/// Those of numbers, without the classes.
std::vector<std::string> names_of_values(const ModelHeader& header, const Layout& layout, Index place, Index labels) {
  std::vector<std::string> names = names_of_observed(header, layout);
  if (names.empty()) names = names_of_units(layout, layout.observed());
  const auto begin = names.begin() + static_cast<std::ptrdiff_t>(place);
  names.erase(begin, begin + static_cast<std::ptrdiff_t>(labels));
  return names;
}

}  // namespace

RowTexts::RowTexts(const ModelHeader& header, const Layout& layout, const std::string& model)
    : words_(class_words(header.config)), labels_(label_columns(layout)) {
  const Index columns = layout.columns(layout.observed());
  place_ = label_place(layout).value_or(columns);
  const auto behind_classes = [&](Index place) { return place < place_ ? place : place + labels_; };
  if (is_table(header)) {
    schema_ = schema_of_file(header, model);
    if (schema_->width() + labels_ != columns)
      throw DataError(fmt::format("{}: its columns of data make {} columns of numbers, but its model observes {}",
                                  model, schema_->width(), columns - labels_));
    for (const TableColumn& column : schema_->columns())
      fields_.push_back({behind_classes(column.place), column.width(), column.kind});
  } else {
    for (Index c = 0; c < columns - labels_; ++c) fields_.push_back({behind_classes(c)});
  }
  if (labels_ > 0) fields_.push_back({place_, labels_, ColumnKind::categorical});
  if (!schema_) names_ = names_of_values(header, layout, place_, labels_);
  else if (header.column_names.empty()) return;
  else
    for (const TableColumn& column : schema_->columns()) names_.push_back(column.name);
  if (labels_ > 0) names_.push_back(label_column_name(header));
}

std::vector<std::string> RowTexts::texts(std::span<const Real> row) const {
  std::vector<Real> own(row.begin(), row.end());
  const auto begin = own.begin() + static_cast<std::ptrdiff_t>(place_);
  own.erase(begin, begin + static_cast<std::ptrdiff_t>(labels_));
  std::vector<std::string> texts;
  if (schema_) texts = schema_->decode<Real>(own);
  else
    for (const Real x : own) texts.push_back(fmt::format("{}", x));
  if (labels_ > 0) texts.push_back(likeliest_class(row.subspan(place_, labels_), words_));
  return texts;
}

std::string likeliest_class(std::span<const Real> probabilities, const std::vector<std::string>& words) {
  const auto k = static_cast<Index>(std::ranges::max_element(probabilities) - probabilities.begin());
  return k < words.size() ? words[k] : fmt::format("{}", k);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
