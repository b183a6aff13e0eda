#pragma once

#include <filesystem>
#include <string>

namespace harmonium {
inline namespace v1 {

/// The file, in the folder of a run, that says that rows which the run sets aside were trained on before.
inline constexpr const char* leak_file = "leak.txt";

/// What follows from it, behind its line.
inline constexpr const char* too_good = ": figures of these are too good.";

/// Its first line, where such rows were seen: "rows that the run sets aside were among those that first/model.h5 was trained on (…)".
/// Empty where there is no such file.
std::string leak_in(const std::filesystem::path& folder);

}  // namespace v1
}  // namespace harmonium
