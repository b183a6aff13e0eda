#pragma once

#include <filesystem>
#include <string>

namespace harmonium {
inline namespace v1 {

/// What a run said at its end of Gibbs chains on its model: the first line of verdict.txt in its folder, "mixed: …", "not mixed in …" or
/// "not decided: …"; empty where there is none.
std::string verdict_in(const std::filesystem::path& folder);
/// The verdict itself, "mixed", "not mixed" or "not decided", or "none" of chains that ran away; empty of an empty line.
std::string verdict_words(const std::string& line);

}  // namespace v1
}  // namespace harmonium
