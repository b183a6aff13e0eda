#pragma once

#include <optional>
#include <string>

#include <harmonium/program/work/findings.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Throws ConfigError, naming the command that takes it, where a file of text is a list of edges below a line 'n m', which is no
/// table.
void refuse_counted_edges(const std::string& path);
/// That the rows of a file may be edges 'i j J', or a matrix of couplings, and what then makes a model of them; nothing where they
/// are none.
std::optional<std::string> note_of_couplings(const std::string& path, const Inspection& found);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
