#include <harmonium/framework/data/sources.hpp>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/execution/stream.hpp>
#include <harmonium/framework/files/hdf5_table.hpp>
#include <harmonium/framework/files/idx.hpp>
#include <harmonium/framework/files/npy.hpp>
#include <harmonium/framework/files/sha256.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// What a file holds: samples, and where it has them a class a row.
struct Content {
  Table table;
  std::optional<std::vector<double>> labels;
};
using Reader = std::function<Content(const std::string& path)>;
using Weigh = std::function<std::vector<double>(const Table&)>;  // null: not asked for

void check_exists(const std::string& key, const std::string& path) {
  std::error_code error;
  const auto kind = std::filesystem::status(path, error).type();
  if (kind == std::filesystem::file_type::not_found) {
    throw ConfigError(fmt::format("[data] {} '{}': no such file", key, path));
  }
  if (kind == std::filesystem::file_type::directory) {
    throw ConfigError(fmt::format("[data] {} '{}': a folder, not a file. Name the data file in it.", key, path));
  }
}

DataFile known(const std::string& path) { return {path, sha256_of_file(path)}; }

/// One of the three files, with its labels; keys of the options that name them, for messages.
struct FileRequest {
  const char *key, *label_key;
  const std::string &path, &labels;
};

Dataset load_file(const Reader& read, const FileRequest& file, const ValueOptions& values,
                  std::optional<Index> num_classes, const RandomSource& random, const Weigh& weigh = {}) {
  check_exists(file.key, file.path);
  Content content = read(file.path);
  std::vector<double> weights;
  if (weigh) weights = weigh(content.table);
  Dataset data(std::move(content.table), file.path, values, random, {known(file.path)});
  if (weigh) data = data.with_weights(std::move(weights), file.path);
  if (content.labels && !file.labels.empty()) {
    throw ConfigError(fmt::format("[data] {} '{}': {} holds labels already. Leave one of the two out.", file.label_key,
                                  file.labels, file.path));
  }
  if (content.labels) return data.with_labels(*content.labels, "the labels of " + file.path, num_classes);
  if (file.labels.empty()) return data;
  check_exists(file.label_key, file.labels);
  return data.with_labels(read_vector(file.labels, "class", "labels"), file.labels, num_classes, {known(file.labels)});
}

DataSplits load_files(const Reader& read, const FileDataOptions& options, const RandomSource& random,
                      const Weigh& weigh = {}) {
  const auto classes = [](Index known) { return known > 0 ? std::optional(known) : std::nullopt; };
  // Bits of each file are drawn under its own name, so that a further file leaves the others' bits alone.
  Dataset train = load_file(read, {"path", "labels", options.path, options.labels}, options.values,
                            classes(options.num_classes), random.child("train"), weigh);
  if (!options.weights.empty()) {
    check_exists("weights", options.weights);
    train = train.with_weights(read_vector(options.weights, "weight", "weights"), options.weights,
                               {known(options.weights)});
  }
  DataSplits splits = split(train, options.split, random.child("split"));
  std::shared_ptr<const Transform> transform;
  if (options.transform.any()) {
    transform = Transform::fit(options.transform.kind(), splits.train, options.transform.whiten_epsilon);
    splits = split(train.with_transform(transform), options.split, random.child("split"));
  }
  ValueOptions same = options.values;
  same.range = {train.range().low, train.range().high};
  const auto load_other = [&](const FileRequest& file, const char* name, std::optional<Dataset>& slot) {
    if (file.path.empty()) return;
    Dataset other = load_file(read, file, same, classes(train.num_classes()), random.child(name));
    if (other.cols() != train.cols()) {
      throw DataError(fmt::format("{}: has {} columns, but {} has {}. They must be of one kind.", file.path,
                                  other.cols(), options.path, train.cols()));
    }
    slot = transform ? other.with_transform(transform) : other;
  };
  load_other({"validation_path", "validation_labels", options.validation_path, options.validation_labels}, "validation",
             splits.validation);
  load_other({"test_path", "test_labels", options.test_path, options.test_labels}, "test", splits.test);
  return splits;
}

Value with_range_and_classes(const Value& effective, const DataSplits& loaded) {
  Value value = effective;
  const ValueRange range = loaded.train.range();
  // One value throughout makes no range that could be read back, and none is needed: bits were not made of it.
  if (range.low < range.high) {
    Value both;
    both.data = Value::List{make_value(range.low), make_value(range.high)};
    value.set("range", std::move(both));
  }
  if (loaded.train.num_classes() > 0)
    value.set("num_classes", make_value(static_cast<std::int64_t>(loaded.train.num_classes())));
  return value;
}

}  // namespace

DataSource::~DataSource() = default;

Value DataSource::resolved(const Value& effective, const DataSplits&) const { return effective; }

bool carries_over(std::string_view key, bool same_type) {
  for (const char* path : data_path_keys)
    if (key == path && key != "path") return false;
  for (const char* other : transform_keys)
    if (key == other) return false;
  for (const char* other : {"validation", "test", "reweight"})
    if (key == other) return false;
  if (same_type) return true;
  for (const char* general : {"type", "path", "num_classes", "missing", "scale", "binarize", "range"})
    if (key == general) return true;
  return false;
}

void FileDataOptions::bind(OptionBinder& o) {
  o.option("path", path, "the file to train on, one sample a row; plain or gzipped");
  o.option("validation_path", validation_path, "a file of validation samples; empty: none");
  o.option("test_path", test_path, "a file of test samples; empty: none");
  o.option("weights", weights, "a file with one weight a row of path, of any kind; empty: all alike");
  o.option("labels", labels, "a file with one class a row of path, counted from 0, of any kind; empty: none");
  o.option("validation_labels", validation_labels, "the same for validation_path");
  o.option("test_labels", test_labels, "the same for test_path");
  o.option("num_classes", num_classes, "how many classes there are; 0: found from the training labels", at_least(0));
  values.bind(o);
  transform.bind(o);
  split.bind(o);
}

void FileDataOptions::validate() const {
  if (path.empty()) throw ConfigError("path is missing (the file to train on). Set data.path.");
  values.validate();
  transform.validate();
  split.validate();
  if (transform.any() && values.binarize != Binarize::none) {
    throw ConfigError(fmt::format("{} and binarize are both given (bits are what they are). Remove one.",
                                  transform.standardize ? "standardize" : "whiten"));
  }
  if (!validation_path.empty() && split.validation > 0) {
    throw ConfigError(
        "validation_path and validation are both given (validation rows come from one of them). Remove one.");
  }
  if (!test_path.empty() && split.test > 0) {
    throw ConfigError("test_path and test are both given (test rows come from one of them). Remove one.");
  }
  if (!validation_labels.empty() && validation_path.empty())
    throw ConfigError("validation_labels is given, but validation_path is not. Remove it.");
  if (!test_labels.empty() && test_path.empty())
    throw ConfigError("test_labels is given, but test_path is not. Remove it.");
}

void Hdf5DataOptions::bind(OptionBinder& o) {
  o.option(
      "samples", samples,
      "the dataset that holds the samples, in the files of path, validation_path and test_path, none of them gzipped");
  o.option("label_dataset", label_dataset,
           "the dataset of those files that holds a class a row; empty: \"labels\", where there is one");
}

void FastaDataOptions::bind(OptionBinder& o) {
  letters.bind(o);
  o.option("reweight", reweight,
           "weigh each sequence by 1 / (number of sequences that differ from it at fewer sites than this fraction of "
           "them, rounded down); "
           "0.2 is usual, 0: all alike",
           within(0, 1));
}

IdxSource::IdxSource(Options options) : options_(std::move(options)) { options_.validate(); }
DataSplits IdxSource::load(const RandomSource& random) const {
  return load_files([](const std::string& path) { return Content{read_idx(path), {}}; }, options_, random);
}
Value IdxSource::resolved(const Value& effective, const DataSplits& loaded) const {
  return with_range_and_classes(effective, loaded);
}

NpySource::NpySource(Options options) : options_(std::move(options)) { options_.validate(); }
DataSplits NpySource::load(const RandomSource& random) const {
  return load_files([](const std::string& path) { return Content{read_npy(path), {}}; }, options_, random);
}
Value NpySource::resolved(const Value& effective, const DataSplits& loaded) const {
  return with_range_and_classes(effective, loaded);
}

CsvSource::CsvSource(Options options) : options_(std::move(options)) { options_.validate(); }
DataSplits CsvSource::load(const RandomSource& random) const {
  const auto read = [&](const std::string& path) {
    CsvOptions format = options_.format;
    format.missing = options_.values.missing != Missing::refuse;
    CsvContent content = read_csv(path, format);
    Content result{std::move(content.table), {}};
    if (!options_.format.label_column.empty()) result.labels = std::move(content.labels);
    return result;
  };
  return load_files(read, options_, random);
}
Value CsvSource::resolved(const Value& effective, const DataSplits& loaded) const {
  return with_range_and_classes(effective, loaded);
}

Hdf5Source::Hdf5Source(Options options) : options_(std::move(options)) { options_.validate(); }
DataSplits Hdf5Source::load(const RandomSource& random) const {
  const auto read = [&](const std::string& path) {
    Hdf5Content content = read_hdf5(path, {options_.format.samples, options_.format.label_dataset, false});
    return Content{std::move(content.table), std::move(content.labels)};
  };
  return load_files(read, options_, random);
}
Value Hdf5Source::resolved(const Value& effective, const DataSplits& loaded) const {
  return with_range_and_classes(effective, loaded);
}

FastaSource::FastaSource(Options options) : options_(std::move(options)) {
  options_.validate();
  if (options_.format.reweight > 0 && !options_.weights.empty())
    throw ConfigError("reweight and weights are both given. Remove one.");
}
DataSplits FastaSource::load(const RandomSource& random) const {
  const auto read = [&](const std::string& path) { return Content{read_fasta(path, options_.format.letters), {}}; };
  Weigh weigh;
  if (options_.format.reweight > 0)
    weigh = [&](const Table& table) { return similarity_weights(table, options_.format.reweight); };
  return load_files(read, options_, random, weigh);
}
Value FastaSource::resolved(const Value& effective, const DataSplits& loaded) const {
  return with_range_and_classes(effective, loaded);
}

std::string data_type_of_file(const std::string& path) {
  check_exists("path", path);
  const std::optional<TableFormat> format = known_table_format(path);
  if (!format) throw ConfigError(unknown_table_format(path));
  return name_of(*format);
}

}  // namespace v1
}  // namespace harmonium
