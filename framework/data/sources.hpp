#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/core/types.hpp>
#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/data/transform.hpp>
#include <harmonium/framework/files/csv.hpp>
#include <harmonium/framework/files/fasta.hpp>

namespace harmonium {
inline namespace v1 {

/// Where a run's data comes from. Making one reads nothing; `load` does, each time, and gives the same data for the
/// same random source.
class DataSource {
 public:
  static constexpr const char* kind = "data";
  virtual ~DataSource();

  /// Throws ConfigError where a path names no file or settings would cure the data ("set data.scale"), FileError where
  /// a file cannot be read, DataError where its content is wrong.
  virtual DataSplits load(const RandomSource& random) const = 0;

  /// The effective options with what loading found written out, so that reading them again, from any folder and for
  /// other files, gives the same values: `range` and `num_classes`.
  virtual Value resolved(const Value& effective, const DataSplits& loaded) const;
};

/// Options of data in files.
struct FileDataOptions {
  std::string path, validation_path, test_path;        ///< empty: none
  std::string weights;                                 ///< a vector, one weight a row of `path`; empty: none
  std::string labels, validation_labels, test_labels;  ///< a vector, one class a row; empty: none
  Index num_classes = 0;                               ///< 0: found from the training labels
  std::vector<std::string> classes;  ///< what class 0, 1, … is called; empty: found, where words tell
  ValueOptions values;               ///< one for all three files
  TransformOptions transform;        ///< fitted to the training rows, applied to all
  SplitOptions split;

  void bind(OptionBinder& o);
  /// The same but for `classes`, where the format has its own.
  void bind_files(OptionBinder& o);
  void validate() const;
};

/// The options of FileDataOptions and of `Format`, whose `bind` comes first.
template <class Format>
struct FormatDataOptions : FileDataOptions {
  Format format;

  void bind(OptionBinder& o) {
    if constexpr (requires { format.classes; }) bind_files(o);
    else FileDataOptions::bind(o);
    format.bind(o);
  }
  void validate() const {
    FileDataOptions::validate();
    if constexpr (requires { format.validate(); }) format.validate();
  }
};

/// Which array of an archive is taken.
struct NpyDataOptions {
  std::string array;  ///< empty: the only one
  void bind(OptionBinder& o);
};

/// Which datasets of an HDF5 file are taken.
struct Hdf5DataOptions {
  std::string samples = "samples";
  std::string label_dataset;  ///< empty: "labels", where the file has it
  void bind(OptionBinder& o);
};

/// How sequences are read and weighed.
struct FastaDataOptions {
  FastaOptions letters{.alphabet = ""};  ///< empty: by what the files have (fasta_alphabet.hpp)
  double reweight = 0;                   ///< 0: not at all

  void bind(OptionBinder& o);
  void validate() const;
};

/// The keys of a [data] table that are paths.
inline constexpr const char* data_path_keys[] = {"path",   "validation_path",   "test_path",  "weights",
                                                 "labels", "validation_labels", "test_labels"};
/// Those that say what is fitted to the training rows and kept with the model.
inline constexpr const char* transform_keys[] = {"standardize", "whiten", "whiten_epsilon"};
/// Whether an option of [data] goes with a model to other data than it was trained on: those that say how a file is read,
/// but not which one, which part of it, or what was fitted to it. `same_type`: the other data is of the same type.
bool carries_over(std::string_view key, bool same_type);

/// An IDX file (MNIST's container), plain or gzipped.
class IdxSource final : public DataSource {
 public:
  using Options = FileDataOptions;
  explicit IdxSource(Options options);
  DataSplits load(const RandomSource& random) const override;
  Value resolved(const Value& effective, const DataSplits& loaded) const override;

 private:
  Options options_;
};

/// An array saved by numpy.save, plain or gzipped, or one of an archive.
class NpySource final : public DataSource {
 public:
  using Options = FormatDataOptions<NpyDataOptions>;
  explicit NpySource(Options options);
  DataSplits load(const RandomSource& random) const override;
  Value resolved(const Value& effective, const DataSplits& loaded) const override;

 private:
  Options options_;
};

/// Numbers in text, plain or gzipped.
class CsvSource final : public DataSource {
 public:
  using Options = FormatDataOptions<CsvOptions>;
  explicit CsvSource(Options options);
  DataSplits load(const RandomSource& random) const override;
  Value resolved(const Value& effective, const DataSplits& loaded) const override;

 private:
  Options options_;
};

/// Datasets of an HDF5 file.
class Hdf5Source final : public DataSource {
 public:
  using Options = FormatDataOptions<Hdf5DataOptions>;
  explicit Hdf5Source(Options options);
  DataSplits load(const RandomSource& random) const override;
  Value resolved(const Value& effective, const DataSplits& loaded) const override;

 private:
  Options options_;
};

/// Aligned sequences, plain or gzipped.
class FastaSource final : public DataSource {
 public:
  using Options = FormatDataOptions<FastaDataOptions>;
  explicit FastaSource(Options options);
  DataSplits load(const RandomSource& random) const override;
  Value resolved(const Value& effective, const DataSplits& loaded) const override;
  /// What the letters are taken for, in a sentence for people; empty where they are named. Reads the files.
  std::string guesses() const;

 private:
  FastaOptions known_letters() const;

  Options options_;
};

class BarsAndStripes final : public DataSource {
 public:
  struct Options {
    Index side = 3;
    SplitOptions split;
    void bind(OptionBinder& o);
    void validate() const { split.validate(); }
  };
  explicit BarsAndStripes(Options options);
  DataSplits load(const RandomSource& random) const override;

 private:
  Options options_;
};

class Diagonal final : public DataSource {
 public:
  struct Options {
    Index size = 6;
    SplitOptions split;
    void bind(OptionBinder& o);
    void validate() const { split.validate(); }
  };
  explicit Diagonal(Options options);
  DataSplits load(const RandomSource& random) const override;

 private:
  Options options_;
};

class OneDBall final : public DataSource {
 public:
  struct Options {
    Index size = 6;
    SplitOptions split;
    void bind(OptionBinder& o);
    void validate() const { split.validate(); }
  };
  explicit OneDBall(Options options);
  DataSplits load(const RandomSource& random) const override;

 private:
  Options options_;
};

class LabeledShifter final : public DataSource {
 public:
  struct Options {
    Index bits = 4;
    SplitOptions split;
    void bind(OptionBinder& o);
    void validate() const { split.validate(); }
  };
  explicit LabeledShifter(Options options);
  DataSplits load(const RandomSource& random) const override;

 private:
  Options options_;
};

/// The `type` of the data component that reads this file ("idx", "npy", "csv", "hdf5", "fasta"), by its first bytes or
/// its name, or this folder ("png"). ConfigError where there is no such file or it is none of these, DataError where compressed content is
/// damaged.
std::string data_type_of_file(const std::string& path);

}  // namespace v1
}  // namespace harmonium
