#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <harmonium/framework/core/types.hpp>
#include <harmonium/framework/data/table_schema.hpp>
#include <harmonium/framework/files/model_header.hpp>
#include <harmonium/framework/model/layout.hpp>
#include <harmonium/program/work/row_fields.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Rows of all observed columns as the file of the data has them: a field for each of its columns, with words and levels, and the class in
/// one behind them. Of probabilities the likeliest is written.
class RowTexts {
 public:
  /// Of the model in a file. Throws DataError where the columns of its data are not those that it observes.
  RowTexts(const ModelHeader& header, const Layout& layout, const std::string& model);

  /// Empty where the data had none and is a table.
  const std::vector<std::string>& names() const { return names_; }
  std::vector<std::string> texts(std::span<const Real> row) const;
  /// Fields of a row, and what each is made of.
  Index columns() const { return fields_.size(); }
  const std::vector<RowField>& fields() const { return fields_; }

 private:
  std::optional<TableSchema> schema_;  ///< of a table of columns of several kinds
  std::vector<std::string> names_, words_;
  Index place_ = 0, labels_ = 0;  ///< of the classes, in a row of numbers
  std::vector<RowField> fields_;
};

/// What the likeliest of these classes is called: by its word, else its number.
std::string likeliest_class(std::span<const Real> probabilities, const std::vector<std::string>& words);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
