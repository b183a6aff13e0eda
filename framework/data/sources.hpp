#pragma once

#include <string>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/core/types.hpp>
#include <harmonium/framework/data/dataset.hpp>

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
  /// other files, gives the same values: `range`, and paths made absolute.
  virtual Value resolved(const Value& effective, const DataSplits& loaded) const;
};

/// Options of data in files.
struct FileDataOptions {
  std::string path, validation_path, test_path;  ///< empty: none
  std::string weights;                           ///< an .npy vector, one weight a row of `path`; empty: none
  ValueOptions values;                           ///< one transform for all three files
  SplitOptions split;

  void bind(OptionBinder& o);
  void validate() const;
};

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

/// An array saved by numpy.save, plain or gzipped.
class NpySource final : public DataSource {
 public:
  using Options = FileDataOptions;
  explicit NpySource(Options options);
  DataSplits load(const RandomSource& random) const override;
  Value resolved(const Value& effective, const DataSplits& loaded) const override;

 private:
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

class LabelledShifter final : public DataSource {
 public:
  struct Options {
    Index bits = 4;
    SplitOptions split;
    void bind(OptionBinder& o);
    void validate() const { split.validate(); }
  };
  explicit LabelledShifter(Options options);
  DataSplits load(const RandomSource& random) const override;

 private:
  Options options_;
};

/// The `type` of the data component that reads this file, "idx" or "npy", by its first bytes or its name. ConfigError
/// where there is no such file or it is neither, DataError where compressed content is damaged.
std::string data_type_of_file(const std::string& path);

}  // namespace v1
}  // namespace harmonium
