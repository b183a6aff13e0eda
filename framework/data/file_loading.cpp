#include <harmonium/framework/data/file_loading.hpp>

#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/data/named_vector.hpp>
#include <harmonium/framework/execution/stream.hpp>
#include <harmonium/framework/files/sha256.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

DataFile fingerprinted(const std::string& path) { return {path, sha256_of_file(path)}; }

/// One of the three files, with its labels; keys of the options that name them, for messages.
struct FileRequest {
  const char *key, *label_key;
  const std::string &path, &labels;
};

/// The classes that are known: how many, and what they are called.
struct KnownClasses {
  std::optional<Index> number;
  FileClasses words = {};
};

Dataset load_file(const FileReader& read, const FileRequest& file, const ValueOptions& values,
                  const KnownClasses& classes, const RandomSource& random, const FileSteps& steps) {
  check_data_file(file.key, file.path, steps.folders);
  FileContent content = read(file.path, classes.words);
  std::vector<double> weights;
  if (steps.weigh) weights = steps.weigh(content.table);
  const DataFile origin = content.sha256.empty() ? fingerprinted(file.path) : DataFile{file.path, content.sha256};
  Dataset data(std::move(content.table), file.path, values, random, {origin});
  if (steps.weigh) data = data.with_weights(std::move(weights), file.path);
  if (content.labels && !file.labels.empty()) {
    throw ConfigError(fmt::format("[data] {} '{}': {} holds labels already. Leave one of the two out.", file.label_key,
                                  file.labels, file.path));
  }
  if (content.labels)
    return data.with_labels(*content.labels, "the labels of " + file.path, classes.number, {}, content.classes);
  if (file.labels.empty()) return data;
  const NamedVector named = named_vector(file.label_key, file.labels);
  RowClasses own = read_classes(named, classes.words, data.rows());
  return data.with_labels(own.numbers, file.labels, classes.number, {fingerprinted(named.file)}, std::move(own.words));
}

}  // namespace

void check_data_file(const std::string& key, const std::string& path, bool folder) {
  std::error_code error;
  const auto kind = std::filesystem::status(path, error).type();
  if (kind == std::filesystem::file_type::not_found) {
    throw ConfigError(fmt::format("[data] {} '{}': no such file", key, path));
  }
  if (folder && kind != std::filesystem::file_type::directory)
    throw ConfigError(fmt::format("[data] {} '{}': a file, not a folder of pictures.", key, path));
  if (!folder && kind == std::filesystem::file_type::directory) {
    throw ConfigError(fmt::format("[data] {} '{}': a folder, not a file. Name the data file in it.", key, path));
  }
}

DataSplits load_files(const FileReader& read, const FileDataOptions& options, const RandomSource& random,
                      const FileSteps& steps) {
  const auto classes = [](Index known, FileClasses words) {
    return KnownClasses{known > 0 ? std::optional(known) : std::nullopt, std::move(words)};
  };
  // Bits of each file are drawn under its own name, so that a further file leaves the others' bits alone.
  Dataset train = load_file(read, {"path", "labels", options.path, options.labels}, options.values,
                            classes(options.num_classes, options.classes), random.child("train"), steps);
  if (!options.weights.empty()) {
    const NamedVector named = named_vector("weights", options.weights);
    train = train.with_weights(read_vector(named, "weight", "weights"), options.weights, {fingerprinted(named.file)});
  }
  DataSplits splits = split(train, options.split, random.child("split"));
  std::shared_ptr<const Transform> transform;
  if (options.transform.any()) {
    transform = steps.fit ? steps.fit(splits.train)
                          : Transform::fit(options.transform.kind(), splits.train, options.transform.whiten_epsilon);
    splits = split(train.with_transform(transform), options.split, random.child("split"));
  }
  ValueOptions same = options.values;
  same.range = {train.range().low, train.range().high};
  const auto load_other = [&](const FileRequest& file, const char* name, std::optional<Dataset>& slot) {
    if (file.path.empty()) return;
    // Their rows are not weighed.
    Dataset other = load_file(read, file, same, classes(train.num_classes(), train.class_words()), random.child(name),
                              {.folders = steps.folders});
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
  if (const std::vector<std::string> words = loaded.train.class_words(); !words.empty())
    value.set("classes", list_of_words(words));
  if (loaded.train.num_classes() > 0)
    value.set("num_classes", make_value(static_cast<std::int64_t>(loaded.train.num_classes())));
  return value;
}

Value without_empty_lists(Value value, std::initializer_list<const char*> keys) {
  for (const char* key : keys)
    if (const Value* list = value.find(key); list && list->is_list() && std::get<Value::List>(list->data).empty())
      value.erase(key);
  return value;
}

Value list_of_words(const std::vector<std::string>& words) {
  Value list;
  list.data = Value::List();
  for (const std::string& word : words) std::get<Value::List>(list.data).push_back(make_value(word));
  return list;
}

}  // namespace v1
}  // namespace harmonium
