#pragma once

#include <filesystem>

#include <harmonium/framework/files/table.hpp>

namespace harmonium {
inline namespace v1 {

enum class CouplingForm { edges, matrix, unclear };

/// Whether a path is that of an array: .npy, or an array of an .npz (named_array).
bool is_coupling_array(const std::filesystem::path& path);
/// Whether an array of couplings has an edge `i j w` in each row: it has three columns and is not square.
bool has_edges_in_rows(const Table& table);

/// Whether a file of couplings, plain or gzipped, is a list of edges or a matrix. An array is edges where has_edges_in_rows says so,
/// else a matrix, as is text whose first line has four words or more. Nodes may be whole numbers written as floats. Of two lines of two numbers and three of three, below a line of names or not, those that cannot be edges are a matrix
/// where they are symmetric, have a diagonal of 0, or do not begin as edges do. Unclear are three edges that, as a matrix, are
/// symmetric or have such a diagonal: one of couplings has both, or one triangle, and then no rows that may be edges. Throws as
/// LineReader does, or read_table of an array.
CouplingForm coupling_form(const std::filesystem::path& path);

}  // namespace v1
}  // namespace harmonium
