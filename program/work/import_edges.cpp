#include <harmonium/program/work/import_edges.hpp>

#include <cmath>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/coupling_matrix.hpp>
#include <harmonium/framework/files/edge_list_or_matrix.hpp>
#include <harmonium/framework/files/edge_list_words.hpp>
#include <harmonium/framework/files/npz.hpp>
#include <harmonium/framework/files/table.hpp>
#include <harmonium/framework/files/unit_values.hpp>
#include <harmonium/program/work/import_exported.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

[[noreturn]] void refuse_edges(const std::string& path, const std::string& why) {
  throw ConfigError(
      fmt::format("import {}: this is neither a file of edges (a line 'n m', then lines 'i j w'), nor a square matrix "
                  "of couplings (symmetric, its diagonal 0), nor what export wrote of spins or binary units, nor a "
                  "CONFIG.toml{}. Parameters of any other model are read from an HDF5 file with the attributes and "
                  "datasets of docs/file_format.md, which every command takes for a model.",
                  path, why));
}

/// A table may hold anything: of one that is neither a list of edges nor a square matrix all is told that serves.
[[noreturn]] void refuse_table(const std::string& path, const DataError& error) {
  std::string why = error.what();
  why.resize(why.find_last_not_of('.') + 1);
  refuse_edges(path, fmt::format(" ({})", why));
}

Table table_in_csv(const std::string& path) try { return read_table(path); } catch (const DataError& error) {
  // With numbers that are none, as in a table of words, it may be a matrix all the same.
  if (std::string_view(error.what()).find("finite") != std::string_view::npos) throw;
  refuse_table(path, error);
}

EdgeList edges_of_list(const std::string& path) try { return read_edge_list(path); } catch (const DataError& error) {
  refuse_table(path, error);
}

EdgeList edges_of_matrix(const std::string& path) {
  const Table table = table_in_csv(path);
  try {
    return graph_of_couplings(table, path);
  } catch (const DataError& error) {
    if (table.rows == table.cols) throw;
    refuse_table(path, error);
  }
}

EdgeList imported_graph(const std::string& path) {
  if (std::filesystem::path(path).extension() != ".csv") return read_edge_list(path);
  switch (coupling_form(path)) {
    case CouplingForm::edges: return edges_of_list(path);
    case CouplingForm::matrix: return edges_of_matrix(path);
    case CouplingForm::unclear: break;
  }
  return read_edge_list(path);  // which asks
}

bool path_is_absent(const std::string& path) {
  std::error_code error;
  return std::filesystem::status(named_array(path).file, error).type() == std::filesystem::file_type::not_found;
}

/// Files of parameters are what people try.
void check_no_parameters(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  for (const char* other : {".h5", ".hdf5", ".json"})
    if (extension == other) refuse_edges(path, "");
}

}  // namespace

std::optional<double> uniform_field(const ImportRequest& request) {
  std::error_code error;
  const std::optional<double> field = edge_list_number<double>(request.fields);
  if (!field || !std::isfinite(*field) || std::filesystem::exists(request.fields, error)) return {};
  return (request.negate ? -1.0 : 1.0) * *field;
}

void check_import_inputs(const ImportRequest& request) {
  if (path_is_absent(request.edges))
    throw ConfigError(
        fmt::format("import {}: there is no such file. Name a file of edges or a matrix of couplings, a "
                    "folder that export wrote, or a CONFIG.toml.",
                    request.edges));
  if (!request.fields.empty() && !uniform_field(request) && path_is_absent(request.fields))
    throw ConfigError(fmt::format(
        "--fields {}: this is neither a finite number nor a file that is there. Give one number for all units, or a "
        "file with one for each.",
        request.fields));
}

ImportedEdges read_imported_edges(const ImportRequest& request, const EdgeArrays& arrays) {
  check_no_parameters(request.edges);
  ImportedEdges read{arrays.edges.empty() ? imported_graph(request.edges) : read_edge_arrays(arrays), ""};
  read.units = units_of_edges(request, read.graph);
  if (request.fields.empty() || uniform_field(request)) return read;
  const Index fields = read_unit_values(request.fields, "field", "fields").size();
  if (!read.graph.may_have(fields))
    throw ConfigError(fmt::format("fields {}: it has {} numbers, and there are {} {}. Give one number for each.",
                                  request.fields, fields, read.graph.num_nodes, read.spins() ? "spins" : "units"));
  read.graph.num_nodes = fields;
  return read;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
