#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace harmonium {
inline namespace v1 {

/// The name in a line ">name" that begins a sequence: its first word, which ends at a blank.
std::string_view fasta_name(std::string_view line);

/// The names of a FASTA file's sequences, in the order in which read_fasta makes rows of them. Throws as LineReader does.
std::vector<std::string> fasta_names(const std::filesystem::path& path);

}  // namespace v1
}  // namespace harmonium
