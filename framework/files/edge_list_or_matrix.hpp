#pragma once

#include <filesystem>

namespace harmonium {
inline namespace v1 {

enum class CouplingForm { edges, matrix, unclear };

/// Whether a file of couplings, plain or gzipped, is a list of edges or a matrix: .npy, an array of an .npz (named_array), or text whose first line has four words or
/// more. Of two lines of two numbers and three of three, below a line of names or not, those that cannot be edges are a matrix
/// where they are symmetric, have a diagonal of 0, or do not begin as edges do. Unclear are three edges that, as a matrix, are
/// symmetric or have such a diagonal: one of couplings has both, or one triangle, and then no rows that may be edges. Throws as
/// LineReader does.
CouplingForm coupling_form(const std::filesystem::path& path);

}  // namespace v1
}  // namespace harmonium
