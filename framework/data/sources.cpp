#include <harmonium/framework/data/sources.hpp>

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/data/generators.hpp>
#include <harmonium/framework/execution/stream.hpp>
#include <harmonium/framework/files/idx.hpp>
#include <harmonium/framework/files/npy.hpp>
#include <harmonium/framework/files/sha256.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

using Reader = Table (*)(const std::filesystem::path&);

void check_exists(const std::string& key, const std::string& path) {
  std::error_code error;
  const auto kind = std::filesystem::status(path, error).type();
  if (kind == std::filesystem::file_type::not_found) {
    throw ConfigError(fmt::format("[data] {} '{}': no such file", key, path));
  }
}

Dataset load_file(Reader read, const std::string& key, const std::string& path, const ValueOptions& values,
                  const RandomSource& random) {
  check_exists(key, path);
  Table table = read(path);
  return Dataset(std::move(table), path, values, random, {{path, sha256_of_file(path)}});
}

std::vector<double> load_weights(const std::string& path) {
  check_exists("weights", path);
  const Table table = read_npy(path);
  if (table.cols != 1) {
    throw DataError(fmt::format("{}: has {} columns (a vector, one weight a row, expected)", path, table.cols));
  }
  std::vector<double> weights(table.rows);
  for (Index r = 0; r < table.rows; ++r) weights[r] = table.at(r, 0);
  return weights;
}

DataSplits load_files(Reader read, const FileDataOptions& options, const RandomSource& random) {
  // Bits of each file are drawn under its own name, so that a further file leaves the others' bits alone.
  Dataset train = load_file(read, "path", options.path, options.values, random.child("train"));
  if (!options.weights.empty()) {
    std::vector<double> weights = load_weights(options.weights);
    train =
        train.with_weights(std::move(weights), options.weights, {{options.weights, sha256_of_file(options.weights)}});
  }
  DataSplits splits = split(train, options.split, random.child("split"));
  ValueOptions same = options.values;
  same.range = {train.range().low, train.range().high};
  const auto load_other = [&](const char* key, const char* name, const std::string& path,
                              std::optional<Dataset>& slot) {
    if (path.empty()) return;
    slot = load_file(read, key, path, same, random.child(name));
    if (slot->cols() != train.cols()) {
      throw DataError(fmt::format("{}: has {} columns, but {} has {}. They must be of one kind.", path, slot->cols(),
                                  options.path, train.cols()));
    }
  };
  load_other("validation_path", "validation", options.validation_path, splits.validation);
  load_other("test_path", "test", options.test_path, splits.test);
  return splits;
}

Value resolve_files(const Value& effective, const DataSplits& loaded) {
  Value value = effective;
  for (const char* key : {"path", "validation_path", "test_path", "weights"}) {
    Value* path = value.find(key);
    if (!path || !path->is_string()) continue;
    auto& text = std::get<std::string>(path->data);
    if (!text.empty()) text = std::filesystem::absolute(text).lexically_normal().string();
  }
  const ValueRange range = loaded.train.range();
  // One value throughout makes no range that could be read back, and none is needed: bits were not made of it.
  if (range.low < range.high) {
    Value both;
    both.data = Value::List{make_value(range.low), make_value(range.high)};
    value.set("range", std::move(both));
  }
  return value;
}

DataSplits split_generated(Table table, const char* name, const SplitOptions& options, const RandomSource& random) {
  return split(Dataset(std::move(table), name), options, random.child("split"));
}

}  // namespace

DataSource::~DataSource() = default;

Value DataSource::resolved(const Value& effective, const DataSplits&) const { return effective; }

void FileDataOptions::bind(OptionBinder& o) {
  o.option("path", path, "the file to train on, one sample a row; plain or gzipped");
  o.option("validation_path", validation_path, "a file of validation samples; empty: none");
  o.option("test_path", test_path, "a file of test samples; empty: none");
  o.option("weights", weights, "an .npy vector with one weight a row of path; empty: all alike");
  values.bind(o);
  split.bind(o);
}

void FileDataOptions::validate() const {
  if (path.empty()) throw ConfigError("path is missing (the file to train on). Set data.path.");
  values.validate();
  split.validate();
  if (!validation_path.empty() && split.validation > 0) {
    throw ConfigError(
        "validation_path and validation are both given (validation rows come from one of them). Remove one.");
  }
  if (!test_path.empty() && split.test > 0) {
    throw ConfigError("test_path and test are both given (test rows come from one of them). Remove one.");
  }
}

IdxSource::IdxSource(Options options) : options_(std::move(options)) { options_.validate(); }
DataSplits IdxSource::load(const RandomSource& random) const { return load_files(&read_idx, options_, random); }
Value IdxSource::resolved(const Value& effective, const DataSplits& loaded) const {
  return resolve_files(effective, loaded);
}

NpySource::NpySource(Options options) : options_(std::move(options)) { options_.validate(); }
DataSplits NpySource::load(const RandomSource& random) const { return load_files(&read_npy, options_, random); }
Value NpySource::resolved(const Value& effective, const DataSplits& loaded) const {
  return resolve_files(effective, loaded);
}

void BarsAndStripes::Options::bind(OptionBinder& o) {
  o.option("side", side, "pixels along each side of the square image", within(1, 12));
  split.bind(o);
}
BarsAndStripes::BarsAndStripes(Options options) : options_(options) { options_.validate(); }
DataSplits BarsAndStripes::load(const RandomSource& random) const {
  return split_generated(bars_and_stripes(options_.side), "bars_and_stripes", options_.split, random);
}

void Diagonal::Options::bind(OptionBinder& o) {
  o.option("size", size, "pixels of a sample", within(1, 4096));
  split.bind(o);
}
Diagonal::Diagonal(Options options) : options_(options) { options_.validate(); }
DataSplits Diagonal::load(const RandomSource& random) const {
  return split_generated(diagonal(options_.size), "diagonal", options_.split, random);
}

void OneDBall::Options::bind(OptionBinder& o) {
  o.option("size", size, "pixels of a sample, on a ring", within(3, 256));
  split.bind(o);
}
OneDBall::OneDBall(Options options) : options_(options) { options_.validate(); }
DataSplits OneDBall::load(const RandomSource& random) const {
  return split_generated(one_d_ball(options_.size), "one_d_ball", options_.split, random);
}

void LabelledShifter::Options::bind(OptionBinder& o) {
  o.option("bits", bits, "bits of the pattern", within(2, 16));
  split.bind(o);
}
LabelledShifter::LabelledShifter(Options options) : options_(options) { options_.validate(); }
DataSplits LabelledShifter::load(const RandomSource& random) const {
  return split_generated(labelled_shifter(options_.bits), "labelled_shifter", options_.split, random);
}

std::string data_type_of_file(const std::string& path) {
  check_exists("path", path);
  const std::optional<TableFormat> format = known_table_format(path);
  if (!format) throw ConfigError(unknown_table_format(path));
  return name_of(*format);
}

}  // namespace v1
}  // namespace harmonium
