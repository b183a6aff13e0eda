#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <harmonium/framework/config/value.hpp>

namespace harmonium {
inline namespace v1 {

/// Rows of the same data that are dealt by different seeds.
struct UnlikeDeals {
  std::uint64_t first = 0;   ///< the seed by which the first configuration deals
  bool draws_some = false;   ///< whether those trained on are drawn of the others too
  std::string parts = {};    ///< "validation", or "validation and test": what is set aside
  std::string of_file = {};  ///< the other of the two, where all take it from one file; else empty

  /// "the rows that are set aside for validation change with the seed, ...", without the remedy.
  std::string words() const;
};

/// Where configurations set rows of the same data aside by different seeds, and one of them by its own, for want of a `data_seed`.
/// Nothing where all deal alike, or have been told not to.
std::optional<UnlikeDeals> first_of_unlike_deals(const std::vector<const Value*>& configs);

/// Whether the rows of runs in one part of their data, "validation", "test" or "" (those trained on), are of other data: of another file,
/// or made in another size.
bool have_other_data(const std::vector<const Value*>& configs, const std::string& part);
/// Whether they are other rows: of other data, of another share of it, or dealt by another seed.
bool have_other_rows(const std::vector<const Value*>& configs, const std::string& part);

/// Whether runs of two configurations have the same rows of data, in each part of it: they read it alike, and draw none of them, nor their
/// bits, or do so by the same seed. False where one does not say what it reads.
bool have_same_rows(const Value& one, const Value& other);

}  // namespace v1
}  // namespace harmonium
