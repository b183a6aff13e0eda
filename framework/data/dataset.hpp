#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/core/types.hpp>
#include <harmonium/framework/execution/stream.hpp>
#include <harmonium/framework/files/table.hpp>

namespace harmonium {
inline namespace v1 {

/// How numbers become bits. With p = (value - low) / (high - low):
///   threshold   1 where the value exceeds the middle of the range;
///   stochastic  1 with probability p, drawn once;
///   each_epoch  1 with probability p, drawn anew each epoch.
enum class Binarize { none, threshold, stochastic, each_epoch };

/// What a number that is NaN means: an error in the file, or that nothing was seen there.
enum class Missing { refuse, nan, nan_columns };

/// What is made of the numbers of a file: value = scale * number, then bits where asked for.
struct ValueOptions {
  Missing missing = Missing::refuse;
  double scale = 1;
  Binarize binarize = Binarize::none;
  /// Low and high, in units after `scale`. Empty: found from the data; [0, 1] where all values lie in it, else [0, 255]
  /// (scaled) for unsigned bytes and [min, max] for other numbers. Values that are all 0 or 1 are bits already
  /// and stay what they are, whatever is given.
  std::vector<double> range = {};

  void bind(OptionBinder& o);
  void validate() const;
};

struct ValueRange {
  double low = 0, high = 1;
};

/// A value and where it stands; the row is counted in the file, from 0, whatever part of it a data set is.
struct ValuePlace {
  Index row = 0, col = 0;
  double value = 0;
};
/// "row 3, column 7 (both counted from 0)".
std::string text_of(const ValuePlace& place);

/// A file that data came from.
struct DataFile {
  std::string path, sha256;
};

class Transform;

/// Rows of numbers, one a sample, and what is made of them; immutable, copies and parts share storage, and every member
/// may be called concurrently. Bytes stay bytes in memory. Every value is finite; what is given for an entry that is
/// missing is the mean of its column in the file, and means nothing. A value is a function of the data,
/// the options, the seed, the row in the file, the column and, with each_epoch, the epoch: never of the part a row is
/// in.
class Dataset {
 public:
  /// `name` is the file's, for messages. `random` is used by stochastic and each_epoch only.
  /// Throws DataError on infinity, a value that overflows, NaN (unless it means a missing entry), or a column of which
  /// nothing was seen; ConfigError on values outside the range where bits are drawn.
  explicit Dataset(Table table, std::string name, const ValueOptions& options = {}, const RandomSource& random = {},
                   std::vector<DataFile> files = {});

  Index rows() const;
  Index cols() const;
  /// What its rows take in memory. Parts of one data set share it, each counting its own rows.
  double bytes() const;
  const std::string& name() const;
  const std::vector<DataFile>& files() const;
  /// Dimensions of one sample as the file has them: 28, 28 for MNIST; empty for a file of one dimension.
  std::span<const Index> sample_shape() const;
  /// The row of the file that row `row` of this part is.
  Index source_row(Index row) const;

  Binarize binarize() const;
  /// As given, or as found.
  ValueRange range() const;

  /// Whether entries of the file are missing, in these rows or in others; classes count where labels are columns.
  bool has_missing() const;
  /// out(r, c) = 1 where column c of row rows[r] was seen, else 0. `out` has cols() columns.
  void seen(std::span<const Index> rows, MatrixView<std::uint8_t> out) const;

  /// Whether every value, in every epoch, is an integer from 0 to 255: what `fetch<std::uint8_t>` needs.
  bool is_bytes() const;
  /// Whether every value, in every epoch, is 0 or 1.
  bool is_binary() const;

  /// Copies rows (indices into this part) as they are in `epoch` into the first rows.size() rows of `out`, which has
  /// cols() columns. T: double, float; std::uint8_t where is_bytes().
  template <class T>
  void fetch(std::span<const Index> rows, std::uint64_t epoch, MatrixView<T> out) const;
  /// Rows [first, first + out.rows).
  template <class T>
  void fetch(Index first, std::uint64_t epoch, MatrixView<T> out) const;

  /// The smallest and largest value that was seen, over all epochs, and the first place that has it.
  ValuePlace min() const;
  ValuePlace max() const;
  /// The first value that was seen, row by row, that is none of `allowed`, or for which `allowed` does not hold; of columns
  /// [begin, end).
  std::optional<ValuePlace> first_outside(std::span<const double> allowed, Index begin = 0,
                                          Index end = every_column) const;
  std::optional<ValuePlace> first_outside(const std::function<bool(double)>& allowed, Index begin = 0,
                                          Index end = every_column) const;
  static constexpr Index every_column = std::numeric_limits<Index>::max();

  /// The same rows under a transform that was fitted before; the labels stay what they are. Throws ConfigError where it
  /// has another number of columns, or mixes columns and entries are missing.
  Dataset with_transform(std::shared_ptr<const Transform> transform) const;
  /// Null where the values are those of the file.
  const std::shared_ptr<const Transform>& transform() const { return transform_; }

  /// The same rows, each with a class: integers from 0, one a row of the file; `name` is where they come from, for
  /// messages. Without `num_classes` there are as many classes as the largest one says. `words`: what they are called. NaN is a
  /// class that was not seen, where missing entries are not refused. Throws DataError.
  Dataset with_labels(const std::vector<double>& labels, const std::string& name, std::optional<Index> num_classes = {},
                      std::vector<DataFile> files = {}, std::vector<std::string> words = {}) const;
  /// 0 where there are no labels.
  Index num_classes() const { return labels_ ? labels_->num_classes : 0; }
  /// What the classes are called; empty where they are numbers.
  std::vector<std::string> class_words() const { return labels_ ? labels_->words : std::vector<std::string>{}; }
  /// The class of a row; num_classes() where it was not seen.
  Index label(Index row) const { return labels_->classes[source_row(row)]; }
  /// One-hot bytes, rows() × num_classes(). Only where there are labels.
  Table labels() const;
  /// The same rows with the labels as num_classes() columns of 0 and 1 before column `at`: what a model with a layer for
  /// them observes. Only where there are labels.
  Dataset with_label_columns(Index at) const;

  /// The same rows where a column is the state of a unit, a whole number from 0: column c as widths[c] columns, the one of its
  /// state 1 and the others 0, missing where the state is; a column of width 1 stays what it is. Only before labels are
  /// columns, and of values that are neither transformed nor made bits of. Throws ConfigError at the first that is no state.
  Dataset with_one_hot_columns(std::span<const Index> widths) const;
  /// Whether that was done.
  bool read_as_states() const { return read_as_states_; }

  /// Mean of what was seen of each column, weighted where there are weights; with each_epoch, of the probabilities.
  std::vector<double> column_means() const;

  /// Weights of the rows: empty, or one a row, finite, at least 0 and not all 0.
  std::vector<double> weights() const;
  bool weighted() const;
  double weight(Index row) const;  ///< 1 where there are none
  /// The same rows with one weight a row of the file; `name` is that of the weights, for messages. Throws DataError.
  Dataset with_weights(std::vector<double> weights, const std::string& name, std::vector<DataFile> files = {}) const;

  /// A part: rows by their index in this one, at least one. Throws DataError where all their weights are 0.
  Dataset part(std::vector<Index> rows) const;

 private:
  struct Storage;
  struct Labels {
    // One a row of the file, num_classes where it was not seen, and one more behind them where that occurs.
    std::vector<std::uint32_t> classes;
    Index num_classes = 0;
    std::vector<std::string> words;
  };

  // visit(row, first number) for every row, until it returns false; the numbers are of one type each time.
  template <class Visit>
  void visit_rows(const Visit& visit) const;
  // Whether each byte occurs, in these rows or in others of the file.
  std::array<bool, 256> bytes_present() const;
  // column_means() where entries are missing. Of a column that these rows do not have, its mean in the file.
  std::vector<double> means_of_seen() const;
  // The largest value times `sign`.
  ValuePlace extreme(double sign) const;
  // The place among all columns of a place among those of the file, and the column of a row's class.
  Index shifted(Index col) const { return label_at_ && col >= *label_at_ ? col + labels_->num_classes : col; }
  double total_weight() const;
  void check_weights(const std::string& name) const;

  std::shared_ptr<const Storage> storage_;
  std::shared_ptr<const std::vector<double>> weights_;  // one a row of the file; null where there are none
  std::shared_ptr<const std::vector<Index>> rows_;      // rows of the file; null where it is all of them
  std::shared_ptr<const Labels> labels_;                // null where there are none
  std::optional<Index> label_at_;                       // where labels are columns: before this one
  std::shared_ptr<const Transform> transform_;
  std::vector<DataFile> files_;
  bool read_as_states_ = false;
};

/// How many rows are set aside: 0 none, below 1 a fraction of the rows, else a number of rows; and how many of the others
/// are kept to train on: all where it is not given.
struct SplitOptions {
  double validation = 0, test = 0;
  std::optional<double> rows = {};

  void bind(OptionBinder& o);
  void validate() const;
};

struct DataSplits {
  Dataset train;
  std::optional<Dataset> validation, test;
};

/// Deals rows by a permutation that depends on `random` only; each part keeps the order of the file. Asking for test
/// rows leaves the validation rows what they were; asking for fewer training rows leaves both, and takes some of those of
/// before. Throws ConfigError where no training row would be left, or fewer than are kept.
DataSplits split(const Dataset& data, const SplitOptions& options, const RandomSource& random);

}  // namespace v1
}  // namespace harmonium
