#include <harmonium/framework/files/edge_list.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/coupling_matrix.hpp>
#include <harmonium/framework/files/edge_list_or_matrix.hpp>
#include <harmonium/framework/files/edge_list_words.hpp>
#include <harmonium/framework/files/gathered_edges.hpp>
#include <harmonium/framework/files/line_reader.hpp>
#include <harmonium/framework/files/table.hpp>
#include <harmonium/framework/files/unit_values.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr Index most_nodes = std::numeric_limits<std::uint32_t>::max();
constexpr const char* remedy_for_fractions = ". An edge is 'i j w': two nodes, then their coupling";

bool is_fraction(std::string_view word) {
  const std::optional<double> number = edge_list_number<double>(word);
  return number && *number != std::floor(*number);
}

class EdgeListParser {
 public:
  EdgeListParser(const std::filesystem::path& path, bool weighted)
      : lines_(path), weighted_(weighted), edges_(weighted) {
    next();
  }

  EdgeList parse() {
    read_first();
    while (next()) take();
    if (graph_.counted && graph_.edges.size() < num_edges_)
      throw DataError(fmt::format("{}: it says {} edges and has {}: lines are missing at its end.", lines_.name(),
                                  num_edges_, graph_.edges.size()));
    return edges_.finish();
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw DataError(fmt::format("{}:{}: {}.", lines_.name(), lines_.number(), why));
  }

  /// The words of the next line that has any.
  bool next() {
    words_.clear();
    while (const std::optional<std::string_view> line = lines_.next()) {
      words_ = edge_list_words(*line);
      if (!words_.empty()) return true;
    }
    return false;
  }

  void read_first() {
    if (words_.empty())
      throw DataError(fmt::format(
          "{}: it is empty; a line 'n m' was expected, the numbers of nodes and edges, or an edge.", lines_.name()));
    if (words_.size() == 3) {  // no counts
      graph_.counted = false;
      if (words_[0] == "unit" && words_[1] == "other" && words_[2] == "value") {
        edges_.see(0);
        graph_.exported_layer.emplace();
      }
      if (!names_columns(words_)) take();
      return;
    }
    const std::optional<Index> n = words_.size() == 2 ? edge_list_whole(words_[0]) : std::nullopt;
    const std::optional<Index> m = words_.size() == 2 ? edge_list_whole(words_[1]) : std::nullopt;
    if (!n || !m)
      refuse(
          "not the beginning of an edge list: a line 'n m' was expected, the numbers of nodes and edges, or an edge "
          "'i j w'");
    if (*n == 0 || *n > most_nodes) refuse(fmt::format("{} nodes: from 1 to {} were expected", *n, most_nodes));
    if (*m > *n * (*n - 1) / 2)
      refuse(fmt::format("{} edges: {} nodes have {} pairs at most{}", *m, *n, *n * (*n - 1) / 2,
                         weighted_ ? ". Where the line is an edge, its weight is missing: write 'i j w'" : ""));
    graph_.num_nodes = *n;
    num_edges_ = *m;
  }

  void take() {
    if (graph_.counted && graph_.edges.size() == num_edges_)
      refuse(fmt::format("more follows after the {} edges that the first line says", num_edges_));
    const bool bare = words_.size() == 2 && !weighted_;
    if (words_.size() != 3 && !bare)
      refuse(weighted_ ? "a line 'i j w' was expected, two nodes and a weight"
                       : "a line 'i j' or 'i j w' was expected, two nodes and, where there is one, a weight");
    const Index i = node(words_[0]), j = node(words_[1]);
    const std::optional<double> weight = bare ? 1.0 : edge_list_number<double>(words_[2]);
    if (!weight || !std::isfinite(*weight)) refuse(fmt::format("the weight '{}' is not a finite number", words_[2]));
    edges_.add(i, j, *weight, [this](const std::string& why) { refuse(why); });
  }

  Index node(std::string_view word) {
    const std::optional<Index> i = graph_.exported_layer ? exported_unit(word) : edge_list_whole(word);
    const Index most = graph_.counted ? graph_.num_nodes : most_nodes - 1;
    if (!i || *i > most) {
      const std::string which = graph_.counted ? fmt::format("numbered from 1 to {}, or from 0 to {}", most, most - 1)
                                               : "whole numbers from 1 or 0 up";
      refuse(
          fmt::format("'{}' is not a node: they are {}{}", word, which, is_fraction(word) ? remedy_for_fractions : ""));
    }
    edges_.see(*i);
    if (graph_.counted && edges_.has_zero() && edges_.last() == most)
      refuse(fmt::format("there are nodes 0 and {0} of {0}: they are numbered from 1 to {0}, or from 0 to {1}", most,
                         most - 1));
    return *i;
  }

  /// The number of a unit as it is called where it has no name of its own: visible[3]. Of one layer all.
  Index exported_unit(std::string_view word) {
    const std::optional<NumberedUnit> unit = numbered_unit(word);
    if (!unit)
      refuse(
          fmt::format("'{}' is not a numbered unit, as in visible[0]. Write nodes as numbers in place of names, as "
                      "'harmonium export --numbered' does",
                      word));
    std::string& layer = *graph_.exported_layer;
    if (layer.empty()) layer = unit->layer;
    if (unit->layer != layer) refuse(fmt::format("'{}' is not of the layer '{}', as those before it are", word, layer));
    return unit->number;
  }

  LineReader lines_;
  bool weighted_;  ///< each edge has its weight
  std::vector<std::string_view> words_;
  GatheredEdges edges_;
  EdgeList& graph_ = edges_.graph;
  Index num_edges_ = 0;
};

/// Three edges in an array have the shape of a matrix.
bool may_be_three_edges(const Table& table) {
  if (table.rows != 3 || table.cols != 3 || table.shape.size() != 2) return false;
  for (Index r = 0; r < 3; ++r)
    if (!whole_number(table.at(r, 0)) || !whole_number(table.at(r, 1))) return false;
  return true;
}

EdgeList read_array(const std::filesystem::path& path) {
  const Table table = read_table(path);
  if (has_edges_in_rows(table)) return edges_in_rows(table, path);
  try {
    return graph_of_couplings(table, path);
  } catch (const DataError& error) {
    if (!may_be_three_edges(table)) throw;
    throw DataError(
        fmt::format("{} An array of 3 x 3 numbers is taken for a matrix: of three edges 'i j w' write text "
                    "(numpy.savetxt).",
                    error.what()));
  }
}

EdgeList read_edges_or_matrix(const std::filesystem::path& path, bool weighted) {
  if (is_coupling_array(path)) return read_array(path);
  switch (coupling_form(path)) {
    case CouplingForm::edges: return EdgeListParser(path, weighted).parse();
    case CouplingForm::matrix: return read_coupling_matrix(path);
    case CouplingForm::unclear: break;
  }
  throw DataError(fmt::format(
      "{}: are these three edges 'i j w', or a 3 x 3 matrix of couplings? Write a line 'n m', the numbers of nodes and "
      "edges, above edges; a matrix is symmetric and has a diagonal of 0.",
      path.string()));
}

}  // namespace

EdgeList edges_in_rows(const Table& table, const std::filesystem::path& path) {
  GatheredEdges edges(true);
  edges.graph.counted = false;
  for (Index r = 0; r < table.rows; ++r) {
    const auto refuse = [&](const std::string& why) {
      throw DataError(fmt::format("{}: row {} (counted from 0): {}.", path.string(), r, why));
    };
    Index nodes[2] = {};
    for (const Index end : {0, 1}) {
      const std::optional<Index> node = whole_number(table.at(r, end));
      if (!node || *node >= most_nodes)
        refuse(fmt::format("{} is not a node: they are whole numbers from 1 or 0 up{}", table.at(r, end),
                           remedy_for_fractions));
      edges.see(nodes[end] = *node);
    }
    if (!std::isfinite(table.at(r, 2))) refuse(fmt::format("the weight {} is not a finite number", table.at(r, 2)));
    edges.add(nodes[0], nodes[1], table.at(r, 2), refuse);
  }
  return edges.finish();
}

EdgeList read_edge_list(const std::filesystem::path& path) { return read_edges_or_matrix(path, true); }

EdgeList read_graph(const std::filesystem::path& path) { return read_edges_or_matrix(path, false); }

std::vector<std::uint8_t> adjacency(const EdgeList& graph) {
  const Index n = graph.num_nodes;
  std::vector<std::uint8_t> joined(n * n);
  for (const EdgeList::Edge& e : graph.edges) joined[e.a * n + e.b] = joined[e.b * n + e.a] = 1;
  return joined;
}

}  // namespace v1
}  // namespace harmonium
