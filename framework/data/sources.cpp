#include <harmonium/framework/data/sources.hpp>

#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/data/file_loading.hpp>
#include <harmonium/framework/files/csv_by_name.hpp>
#include <harmonium/framework/files/csv_names.hpp>
#include <harmonium/framework/files/fasta_alphabet.hpp>
#include <harmonium/framework/files/hdf5_table.hpp>
#include <harmonium/framework/files/idx.hpp>
#include <harmonium/framework/files/npy.hpp>
#include <harmonium/framework/files/npz.hpp>
#include <harmonium/framework/files/png_folder.hpp>

namespace harmonium {
inline namespace v1 {
DataSource::~DataSource() = default;

Value DataSource::resolved(const Value& effective, const DataSplits&) const { return effective; }

bool carries_over(std::string_view key, bool same_type) {
  for (const char* path : data_path_keys)
    if (key == path && key != "path") return false;
  for (const char* other : transform_keys)
    if (key == other) return false;
  for (const char* other : {"validation", "test", "rows", "reweight"})
    if (key == other) return false;
  if (same_type) return true;
  for (const char* general : {"type", "path", "num_classes", "missing", "scale", "binarize", "range"})
    if (key == general) return true;
  return false;
}

void FileDataOptions::bind_files(OptionBinder& o) {
  o.option("path", path, "the file to train on, one sample a row; plain or gzipped");
  o.option("validation_path", validation_path, "a file of validation samples; empty: none");
  o.option("test_path", test_path, "a file of test samples; empty: none");
  o.option("weights", weights, "a file with one weight a row of path, of any kind; empty: all alike");
  o.option(
      "labels", labels,
      "a file with one class a row of path, of any kind: integers from 0, or words; FILE:array=NAME of several arrays "
      "(.npz); empty: none");
  o.option("validation_labels", validation_labels, "the same for validation_path");
  o.option("test_labels", test_labels, "the same for test_path");
  o.option("num_classes", num_classes, "how many classes there are; 0: found from the training labels", at_least(0));
  values.bind(o);
  transform.bind(o);
  split.bind(o);
}

void FileDataOptions::bind(OptionBinder& o) {
  bind_files(o);
  o.option("classes", classes,
           "the words that labels may hold, that of class 0 first; empty: found, where they are words");
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

void NpyDataOptions::bind(OptionBinder& o) {
  o.option("array", array,
           "the array that is read of a file of several (.npz), in all files named here; empty: the only one");
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
           "0.2 is usual, which is 80 % identity, 0: all alike",
           within(0, 1));
}

void FastaDataOptions::validate() const {
  if (!letters.alphabet.empty()) letters.validate();
}

IdxSource::IdxSource(Options options) : options_(std::move(options)) { options_.validate(); }
DataSplits IdxSource::load(const RandomSource& random) const {
  return load_files([](const std::string& path, const FileClasses&) { return FileContent{read_idx(path)}; }, options_,
                    random);
}
Value IdxSource::resolved(const Value& effective, const DataSplits& loaded) const {
  return without_empty_lists(with_range_and_classes(effective, loaded), {"classes"});
}

NpySource::NpySource(Options options) : options_(std::move(options)) { options_.validate(); }
DataSplits NpySource::load(const RandomSource& random) const {
  const auto read = [&](const std::string& path, const FileClasses&) {
    need_npz_array(path, options_.format.array, path + ": ",
                   fmt::format("Set data.array, or name it as in {}:array={{}}.",
                               std::filesystem::path(path).filename().string()));
    return FileContent{read_npy(path, options_.format.array)};
  };
  return load_files(read, options_, random);
}
Value NpySource::resolved(const Value& effective, const DataSplits& loaded) const {
  Value value = without_empty_lists(with_range_and_classes(effective, loaded), {"classes"});
  if (const Value* array = value.find("array"); array && *array == make_value("")) value.erase("array");
  return value;
}

namespace {

/// Columns of words have two places besides: one says so.
CsvContent read_numbers(const std::string& path, const CsvOptions& format) {
  try {
    return read_csv(path, format);
  } catch (const DataError& error) {
    if (!std::string_view(error.what()).ends_with(" is no number")) throw;
    throw DataError(
        fmt::format("{}. A column that holds each row's class is named in data.label_column; other words are read by "
                    "data.type = \"table\" ('harmonium inspect {}' proposes one).",
                    error.what(), path));
  }
}

}  // namespace

CsvSource::CsvSource(Options options) : options_(std::move(options)) {
  options_.validate();
  options_.classes = options_.format.classes;
  if (options_.labels.empty()) options_.format.check_classes();
}
DataSplits CsvSource::load(const RandomSource& random) const {
  const auto read = [&](const std::string& path, const FileClasses& classes) {
    CsvOptions format = options_.format;
    format.missing = options_.values.missing != Missing::refuse;
    if (!classes.empty()) format.classes = classes;
    // A file with the header of the training file is read as that is, also where two columns have one name.
    if (path != options_.path)
      if (const std::vector<std::string> header = read_csv_header(path, options_.format);
          header != read_csv_header(options_.path, options_.format))
        format = by_names(std::move(format), path, header, read_csv_names(options_.path, options_.format),
                          "Columns are found by their names: give them those of the training data.");
    CsvContent content = read_numbers(path, format);
    FileContent result{std::move(content.table), {}, std::move(content.classes)};
    if (!options_.format.label_column.empty()) result.labels = std::move(content.labels);
    return result;
  };
  return load_files(read, options_, random);
}
Value CsvSource::resolved(const Value& effective, const DataSplits& loaded) const {
  Value value = without_empty_lists(with_range_and_classes(effective, loaded), {"columns", "ignore", "classes"});
  if (options_.format.ignore.empty()) return value;
  // Other files need not have what was left out.
  const CsvNames names = read_csv_names(options_.path, options_.format);
  if (names.columns.empty()) return value;
  value.erase("ignore");
  value.set("columns", list_of_words(names.columns));
  return value;
}

Hdf5Source::Hdf5Source(Options options) : options_(std::move(options)) { options_.validate(); }
DataSplits Hdf5Source::load(const RandomSource& random) const {
  const auto read = [&](const std::string& path, const FileClasses&) {
    Hdf5Content content = read_hdf5(path, {options_.format.samples, options_.format.label_dataset, false});
    return FileContent{std::move(content.table), std::move(content.labels)};
  };
  return load_files(read, options_, random);
}
Value Hdf5Source::resolved(const Value& effective, const DataSplits& loaded) const {
  return without_empty_lists(with_range_and_classes(effective, loaded), {"classes"});
}

FastaSource::FastaSource(Options options) : options_(std::move(options)) {
  options_.validate();
  if (options_.format.reweight > 0 && !options_.weights.empty())
    throw ConfigError("reweight and weights are both given. Remove one.");
}
FastaOptions FastaSource::known_letters() const {
  FastaOptions known = options_.format.letters;
  if (!known.alphabet.empty()) return known;
  std::vector<std::filesystem::path> files;
  for (const std::string& path : {options_.path, options_.validation_path, options_.test_path})
    if (!path.empty()) files.emplace_back(path);
  const FastaOptions usual;
  const bool needs_gap = known.gap != usual.gap || known.unknown != usual.unknown;
  known.alphabet = fasta_alphabet(files, needs_gap ? GapState::always : GapState::if_met);
  return known;
}
std::string FastaSource::guesses() const {
  if (!options_.format.letters.alphabet.empty()) return "";
  const std::string found = known_letters().alphabet;
  return fmt::format("data.alphabet is not set: \"{}\" ({}) by what the sequences have.", found,
                     fasta_alphabet_words(found));
}
DataSplits FastaSource::load(const RandomSource& random) const {
  const FastaOptions letters = known_letters();
  const auto read = [&](const std::string& path, const FileClasses&) { return FileContent{read_fasta(path, letters)}; };
  WeighRows weigh;
  if (options_.format.reweight > 0)
    weigh = [&](const Table& table) { return similarity_weights(table, options_.format.reweight); };
  return load_files(read, options_, random, {.weigh = weigh});
}
Value FastaSource::resolved(const Value& effective, const DataSplits& loaded) const {
  Value value = without_empty_lists(with_range_and_classes(effective, loaded), {"classes"});
  value.set("alphabet", make_value(known_letters().alphabet));
  return value;
}

std::string data_type_of_file(const std::string& path) {
  if (!is_png_folder(path)) check_data_file("path", path);
  const std::optional<TableFormat> format = known_table_format(path);
  if (!format) throw ConfigError(unknown_table_format(path));
  return name_of(*format);
}

}  // namespace v1
}  // namespace harmonium
