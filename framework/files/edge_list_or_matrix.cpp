#include <harmonium/framework/files/edge_list_or_matrix.hpp>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <harmonium/framework/core/types.hpp>
#include <harmonium/framework/files/edge_list_words.hpp>
#include <harmonium/framework/files/line_reader.hpp>
#include <harmonium/framework/files/npz.hpp>
#include <harmonium/framework/files/table.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

using WordsOfLines = std::vector<std::vector<std::string>>;

/// Of the first lines that have any, one more than a line of names and three of numbers.
WordsOfLines words_of_first_lines(const std::filesystem::path& path) {
  constexpr std::size_t most_lines = 5;
  LineReader lines(path);
  WordsOfLines found;
  for (auto line = lines.next(); line && found.size() < most_lines; line = lines.next())
    if (const auto words = edge_list_words(*line); !words.empty()) found.emplace_back(words.begin(), words.end());
  return found;
}

/// The numbers of as many lines as each has words, of two or three; nothing where they are not such.
std::optional<std::vector<std::vector<double>>> square_of_numbers(const WordsOfLines& lines) {
  if (lines.size() != 2 && lines.size() != 3) return {};
  std::vector<std::vector<double>> rows;
  for (const auto& words : lines) {
    if (words.size() != lines.size()) return {};
    std::vector<double>& row = rows.emplace_back();
    for (const std::string& word : words) {
      const std::optional<double> number = edge_list_number<double>(word);
      if (!number) return {};
      row.push_back(*number);
    }
  }
  return rows;
}

/// Whether a first line begins with two nodes, or with their number and that of edges.
bool begins_as_edges(const WordsOfLines& lines) {
  if (lines.size() == 2) return edge_list_number<Index>(lines[0][0]) && edge_list_number<Index>(lines[0][1]);
  return edge_list_whole(lines[0][0]) && edge_list_whole(lines[0][1]);
}

/// Whether three lines are `i j w`, no pair of nodes twice, or two are `n 1`, the numbers of nodes and edges, and `i j`.
bool may_be_edges(const WordsOfLines& lines) {
  const bool counted = lines.size() == 2;
  std::set<std::pair<Index, Index>> pairs;
  for (const auto& words : lines) {
    const bool counts = counted && &words == lines.data();
    const auto i = counts ? edge_list_number<Index>(words[0]) : edge_list_whole(words[0]),
               j = counts ? edge_list_number<Index>(words[1]) : edge_list_whole(words[1]);
    if (!i || !j) return false;
    if (counts) {
      if (*i < 2 || *j != 1) return false;
    } else if (*i == *j || !pairs.insert(std::minmax(*i, *j)).second) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool is_coupling_array(const std::filesystem::path& path) {
  return path.extension() == ".npy" || path.extension() == ".npz" || !named_array(path).array.empty();
}

bool has_edges_in_rows(const Table& table) { return table.shape.size() == 2 && table.cols == 3 && table.rows != 3; }

CouplingForm coupling_form(const std::filesystem::path& path) {
  if (is_coupling_array(path)) return has_edges_in_rows(read_table(path)) ? CouplingForm::edges : CouplingForm::matrix;
  WordsOfLines lines = words_of_first_lines(path);
  if (lines.empty()) return CouplingForm::edges;
  if (lines[0].size() == 4) return CouplingForm::matrix;
  if (names_columns(lines[0]) && lines[0].size() == lines.back().size()) lines.erase(lines.begin());
  const auto rows = square_of_numbers(lines);
  if (!rows) return CouplingForm::edges;
  bool empty_diagonal = true, symmetric = true;
  for (Index i = 0; i < rows->size(); ++i) {
    empty_diagonal = empty_diagonal && (*rows)[i][i] == 0.0;
    for (Index j = 0; j < i; ++j) symmetric = symmetric && (*rows)[i][j] == (*rows)[j][i];
  }
  const bool as_matrices = empty_diagonal || symmetric;
  if (may_be_edges(lines)) return as_matrices && lines.size() == 3 ? CouplingForm::unclear : CouplingForm::edges;
  return as_matrices || !begins_as_edges(lines) ? CouplingForm::matrix : CouplingForm::edges;
}

}  // namespace v1
}  // namespace harmonium
