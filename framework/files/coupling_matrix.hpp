#pragma once

#include <filesystem>
#include <string>

#include <harmonium/framework/files/edge_list.hpp>
#include <harmonium/framework/files/table.hpp>

namespace harmonium {
inline namespace v1 {

/// The graph of a square matrix J: an edge for each pair whose entry is not 0, with that weight. The matrix is symmetric, each pair
/// then counting once, or has one triangle alone; its diagonal is 0. Entries of a pair that differ by at most 1e-6 of the largest of
/// all count as equal: their mean is taken. Throws FileError where it cannot be read, else DataError with the place.
EdgeList read_coupling_matrix(const std::filesystem::path& path);

/// The same of the numbers of such a file.
EdgeList graph_of_couplings(const Table& table, const std::filesystem::path& path);

/// How couplings of units of several states become a matrix, for whoever has them with four axes.
std::string order_of_state_couplings(Index units, Index states);

}  // namespace v1
}  // namespace harmonium
