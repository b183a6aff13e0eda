#pragma once

#include <cstdint>

#include <harmonium/framework/config/subtable.hpp>
#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/execution/stream.hpp>

namespace harmonium {
inline namespace v1 {

/// What rows are dealt by: `data_seed` of a configuration, where it has one, else `seed`, else 1.
inline std::uint64_t data_seed(const Value& config) {
  std::uint64_t seed = 1;
  for (const char* name : {"seed", "data_seed"})
    if (const Value* own = config.find(name))
      if (const auto* number = std::get_if<std::int64_t>(&own->data)) seed = static_cast<std::uint64_t>(*number);
  return seed;
}

/// A number of [data]; 0 where it has none of that name.
inline double data_number(const Value& config, const char* key) {
  const Value* data = subtable(config, "data");
  const Value* value = data ? data->find(key) : nullptr;
  return value ? value->number().value_or(0.0) : 0.0;
}

/// Whether rows of its data are set aside at random, by that seed: a `validation` or `test` of [data] above 0.
inline bool sets_rows_aside(const Value& config) {
  return data_number(config, "validation") > 0.0 || data_number(config, "test") > 0.0;
}

/// Whether that seed says which rows a run has, and of which bits: some are set aside, or are a part of more (`rows`), or bits of gray
/// values are drawn once.
inline bool rows_depend_on_seed(const Value& config) {
  const Value* data = subtable(config, "data");
  const Value* binarize = data ? data->find("binarize") : nullptr;
  return sets_rows_aside(config) || data_number(config, "rows") > 0.0 ||
         (binarize && *binarize == make_value("stochastic"));
}

/// What the rows of a run are dealt by, and bits of gray values drawn.
inline RandomSource data_random(const Value& config) { return RandomSource{data_seed(config), 0}.child("data"); }

}  // namespace v1
}  // namespace harmonium
