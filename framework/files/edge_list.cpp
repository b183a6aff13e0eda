#include <harmonium/framework/files/edge_list.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/coupling_matrix.hpp>
#include <harmonium/framework/files/edge_list_or_matrix.hpp>
#include <harmonium/framework/files/edge_list_words.hpp>
#include <harmonium/framework/files/line_reader.hpp>
#include <harmonium/framework/files/unit_values.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr Index most_nodes = std::numeric_limits<std::uint32_t>::max();

class EdgeListParser {
 public:
  EdgeListParser(const std::filesystem::path& path, bool weighted) : lines_(path), weighted_(weighted) { next(); }

  EdgeList parse() {
    read_first();
    while (next()) take();
    if (graph_.counted && graph_.edges.size() < num_edges_)
      throw DataError(fmt::format("{}: it says {} edges and has {}: lines are missing at its end.", lines_.name(),
                                  num_edges_, graph_.edges.size()));
    graph_.first = zero_ ? 0 : 1;
    if (!graph_.counted) graph_.num_nodes = last_ + 1 - graph_.first;
    for (EdgeList::Edge& e : graph_.edges) {
      e.a -= graph_.first;
      e.b -= graph_.first;
    }
    return std::move(graph_);
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
      zero_ = words_[0] == "unit" && words_[1] == "other" && words_[2] == "value";
      if (zero_) graph_.exported_layer.emplace();
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
    if (i == j)
      refuse(fmt::format("an edge from node {} to itself. Leave it out{}", i,
                         weighted_ ? fmt::format("; {}", advice_on_fields) : ""));
    const std::optional<double> weight = bare ? 1.0 : edge_list_number<double>(words_[2]);
    if (!weight || !std::isfinite(*weight)) refuse(fmt::format("the weight '{}' is not a finite number", words_[2]));
    const Index a = std::min(i, j), b = std::max(i, j);
    if (!seen_.insert(static_cast<std::uint64_t>(a) << 32 | b).second)
      refuse(
          fmt::format("the edge of nodes {} and {} is given twice; where the file has both directions of each edge, "
                      "keep one, and two bonds of a "
                      "pair are one with the sum of their weights",
                      i, j));
    graph_.edges.push_back({a, b, *weight});
  }

  Index node(std::string_view word) {
    const std::optional<Index> i = graph_.exported_layer ? exported_unit(word) : edge_list_whole(word);
    const Index most = graph_.counted ? graph_.num_nodes : most_nodes - 1;
    if (!i || *i > most)
      refuse(graph_.counted ? fmt::format("'{}' is not a node: they are numbered from 1 to {}, or from 0 to {}", word,
                                          most, most - 1)
                            : fmt::format("'{}' is not a node: they are whole numbers from 1 or 0 up", word));
    zero_ = zero_ || *i == 0;
    last_ = std::max(last_, *i);
    if (graph_.counted && zero_ && last_ == most)
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
  EdgeList graph_;
  Index num_edges_ = 0;
  bool zero_ = false;  ///< there is a node 0
  Index last_ = 0;
  std::unordered_set<std::uint64_t> seen_;
};

EdgeList read_edges_or_matrix(const std::filesystem::path& path, bool weighted) {
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
