#pragma once

#include <optional>
#include <string>
#include <vector>

#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/plugin/registries.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The settings of [data] of the request.
std::vector<std::string> settings_of_data(const InitRequest& request);
/// The first setting of [data] that a table of columns of several kinds has not; empty where there is none.
std::string not_of_tables(const InitRequest& request, const Registries& registries);

/// A CSV file of which nothing says yet whether it is a table of columns of several kinds: words and numbers, or numbers of
/// several scales.
struct CsvLook {
  bool of_kinds = false;
  std::optional<Dataset> rows = {};  ///< as they were read to find out, where they were
  bool has_holes = false;            ///< `rows` are read with missing = "nan", which nobody has set
};

/// `asked` is a configuration of what the request says. Throws what reading its rows does, saying so of a file of edges.
CsvLook look_at_csv(const InitRequest& request, const Value& asked, const Registries& registries);
/// The rows of a file that is no such table, all of them; `source` is its [data].
Dataset rows_of_one_kind(const InitRequest& request, const Registries& registries, const Value& source);

/// Leaves out what `sample --energies` adds to a CSV file, where nobody has said which columns are read; a sentence where it does.
/// `own` has what is asked for, `begun` what the proposal begins with.
std::string leave_energies_out(Value& own, Value& begun, const std::string& file);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
