#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <harmonium/framework/data/described_columns.hpp>
#include <harmonium/framework/data/sources.hpp>
#include <harmonium/framework/data/table_schema.hpp>

namespace harmonium {
inline namespace v1 {

/// A spreadsheet: columns of words, levels and numbers in a CSV file, each of which becomes units of the kind that suits it.
class TableSource final : public DataSource, public DescribesColumns {
 public:
  struct Options {
    std::string path, validation_path, test_path, weights;
    CsvOptions format;
    bool missing = false;  ///< whether a field in which nothing stands is an entry that was not seen, and not refused
    std::vector<std::string> missing_words = {"NA", "N/A", "?", "nan", "NaN", "null"};
    std::vector<ColumnOptions> kinds;  ///< of columns that are not to be guessed
    Index num_classes = 0;             ///< 0: found from the training rows
    bool standardize = true;           ///< columns of numbers
    SplitOptions split;

    void bind(OptionBinder& o);
    void validate() const;
  };
  explicit TableSource(Options options);

  DataSplits load(const RandomSource& random) const override;
  Value resolved(const Value& effective, const DataSplits& loaded) const override;
  Value observed_layers() const override;
  CsvNames column_names() const override;
  std::string guesses() const override;

 private:
  /// What the training file's columns are, found once.
  struct Found {
    TableSchema schema;
    bool header = false;
    std::string label_name;
    std::vector<std::string> classes;
    Index num_classes = 0;
    std::vector<std::string> guessed;  ///< names of columns
  };
  const Found& found() const;
  Found look(const TextTable& table) const;
  TextTable read(const std::string& path, const std::vector<std::string>& classes) const;
  /// The training file, which is read once where it is loaded once.
  TextTable training_table() const;

  Options options_;
  mutable std::once_flag once_;
  mutable std::optional<Found> found_;
  mutable std::mutex of_seen_;
  mutable std::optional<TextTable> seen_;  ///< the training file as it was looked at, until it is loaded
};

/// The columns of a [data] table of this type whose kinds are all written out, as `resolved` does; those of a run's own
/// configuration. ConfigError where they are not.
TableSchema schema_of(const Value& data);

/// A [data] table by which rows are read as the file has them, whatever was fitted to the training rows.
Value without_transform(const Value& data);

}  // namespace v1
}  // namespace harmonium
