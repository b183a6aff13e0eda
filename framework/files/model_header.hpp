#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace v1 {

/// What a model file is written as, and the latest that is read: 2 is a stack with recognition weights of its own, which
/// programs that know of none are to refuse; all others are 1.
inline constexpr std::int64_t model_format_version = 1, latest_format_version = 2;
inline constexpr const char* sample_shape_attribute = "sample_shape";
inline constexpr const char* column_names_attribute = "column_names";
inline constexpr const char* label_name_attribute = "label_name";
inline constexpr const char* updates_attribute = "updates";

/// What a model file says of itself, before any number is read: enough to choose the precision and to rebuild the model.
struct ModelHeader {
  Value config;           ///< the effective configuration; of a file written elsewhere at least `[model]`
  std::string precision;  ///< "float32" or "float64"
  /// Dimensions of one row of the data it was trained on, such as 28, 28; empty where the file does not say.
  std::vector<Index> sample_shape;
  /// What the columns of that data are called, without that of the labels; empty where the file does not say.
  std::vector<std::string> column_names;
  std::string label_name;  ///< what the column of the labels is called; empty where the file does not say
  /// Updates after which the model's run ended; none where the file does not say, as earlier versions did not.
  std::optional<std::uint64_t> updates;
};

/// Reads it from a model file or a checkpoint, which is made safe to open first. Throws ConfigError where there is no such
/// file, or it is of another kind (a configuration, data); DataError where it is damaged, not a model of ours, of a later
/// format, or says no model.
ModelHeader read_model_header(const std::filesystem::path& path);

/// The `precision` of a configuration: as given, else `fallback`. Throws ConfigError for another word than the two.
std::string precision_of(const Value& config, const std::string& fallback);

}  // namespace v1
}  // namespace harmonium
