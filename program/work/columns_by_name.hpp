#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/execution/display.hpp>
#include <harmonium/framework/files/csv.hpp>
#include <harmonium/framework/files/model_header.hpp>
#include <harmonium/framework/model/layout.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What the data's column of classes was called, else as the layer of labels is.
std::string label_column_name(const ModelHeader& header);
/// What the columns of the layer of labels are called: NAME=WORD, or NAME=k, NAME being that of the data's column of
/// classes; none where the model observes no labels.
std::vector<std::string> names_of_classes(const ModelHeader& header, const Layout& layout);
/// What the columns that the model observes are called, those of labels among them; none where its data had no names.
std::vector<std::string> names_of_observed(const ModelHeader& header, const Layout& layout);
/// What columns of states are called, one for each observed unit but that of labels: as in the data, where these were so, else
/// as the units are.
std::vector<std::string> site_column_names(const ModelHeader& header, const Layout& layout);

/// Says in `spec`, a [data] table of the CSV file `file` whose header is `names`, which columns are those that the model was
/// trained on: those of their names, of the class too. Leaves it as it is where the model's data or the file has no names,
/// or `told`, what the command line says of data (null: nothing), names the columns. `display` is told what is left out.
/// Throws ConfigError where a column is not there.
void find_columns_by_name(Value& spec, const std::string& file, const std::vector<std::string>& names,
                          const ModelHeader& header, const Layout& layout, const Value* told, Display* display);

/// Throws ConfigError where a table, whose header is `names`, lacks a column that the model was trained on, as `spec`, its [data]
/// table, says; `told` as above.
void check_table_columns(const Value& spec, const std::string& file, const std::vector<std::string>& names,
                         const Value* told);

/// Takes what is said of classes out of `spec`, a [data] table, but for what `told`, the command line's, says of them (null:
/// nothing).
void drop_classes(Value& spec, const Value* told);

/// Takes the class out of `spec`, a [data] table of the CSV file `file` without a header, where the file has no column of
/// classes: where all its columns are just those that the model observes. `format` is how it is read.
/// `display` is told. Leaves it as it is where `told` names the column of classes.
void drop_absent_class(Value& spec, const std::string& file, const CsvOptions& format, const Layout& layout,
                       const Value* told, Display* display);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
