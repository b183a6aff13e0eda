#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/files/csv_names.hpp>

namespace harmonium {
inline namespace v1 {

/// A capability of a DataSource: one that finds out what its columns are, before rows are loaded. Each reads the file; throws
/// as `load` does.
class DescribesColumns {
 public:
  virtual ~DescribesColumns();

  /// The observed layers that take its rows, and its classes where it has them: a list of tables as [[model.layers]] are.
  virtual Value observed_layers() const = 0;
  /// What its columns of numbers are called; none where the file has no names.
  virtual CsvNames column_names() const = 0;
  /// What the columns are taken for, in a sentence or more for people; empty where nothing was guessed.
  virtual std::string guesses() const = 0;
};

}  // namespace v1
}  // namespace harmonium
