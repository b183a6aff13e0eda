#include <harmonium/program/work/inspected_couplings.hpp>

#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/edge_list.hpp>
#include <harmonium/framework/files/edge_list_or_matrix.hpp>
#include <harmonium/framework/files/edge_list_words.hpp>
#include <harmonium/framework/files/line_reader.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

struct Couplings {
  EdgeList graph;
  bool edges;  ///< one a line, in place of a matrix
};

/// Those that a file may hold; whether it can be read at all is for others to say.
std::optional<Couplings> couplings_in(const std::string& path) try {
  Couplings found{read_edge_list(path), coupling_form(path) == CouplingForm::edges};
  if (found.graph.edges.empty()) return {};
  return found;
} catch (const Error&) {
  return {};
}

/// 'harmonium import glass.txt --output glass.h5' of the file glass.txt.
std::string import_command(const std::string& path) {
  std::filesystem::path name = std::filesystem::path(path).filename();
  if (name.extension() == ".gz") name = name.stem();
  return fmt::format("'harmonium import {} --output {}.h5'", path, name.stem().string());
}

/// Whether the first line has two words: a table of two columns, or a list of edges.
bool begins_with_counts(const std::string& path) try {
  LineReader lines(path);
  for (auto line = lines.next(); line; line = lines.next())
    if (const auto words = edge_list_words(*line); !words.empty()) return words.size() == 2;
  return false;
} catch (const Error&) {
  return false;
}

/// Whole numbers that are no nodes hardly ever meet all of those between.
bool joins_all_nodes(const EdgeList& graph) {
  std::vector<bool> joined(graph.num_nodes, false);
  for (const EdgeList::Edge& e : graph.edges) joined[e.a] = joined[e.b] = true;
  for (const bool one : joined)
    if (!one) return false;
  return true;
}

}  // namespace

void refuse_counted_edges(const std::string& path) {
  if (!begins_with_counts(path)) return;
  if (const std::optional<Couplings> found = couplings_in(path); found && found->edges && found->graph.counted)
    throw ConfigError(
        fmt::format("{}: a list of the {} couplings of {} units, not rows of data. {} makes a model of it.", path,
                    found->graph.edges.size(), found->graph.num_nodes, import_command(path)));
}

std::optional<std::string> note_of_couplings(const std::string& path, const Inspection& found) {
  if (found.shape.size() != 1 || (found.shape[0] != 3 && found.num_rows != found.shape[0])) return {};
  const std::optional<Couplings> couplings = couplings_in(path);
  if (!couplings) return {};
  const EdgeList& graph = couplings->graph;
  if (couplings->edges && (!joins_all_nodes(graph) || (found.named && !graph.exported_layer))) return {};
  return fmt::format("its rows may be {} of {} units. If so, {} makes a model of them.",
                     couplings->edges ? "couplings 'i j J'" : "a matrix of the couplings", graph.num_nodes,
                     import_command(path));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
