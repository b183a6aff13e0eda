#include <harmonium/program/work/verdict_warning.hpp>

#include <filesystem>

#include <fmt/format.h>

#include <harmonium/framework/files/verdict_file.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

namespace {

/// " --steps 5000" of a verdict by "(500 of some 5000 steps)" or "(500 of 5000 steps)" (Diagnosis::short_look); else empty.
std::string steps_option(const std::string& line) {
  const std::size_t end = line.find(" steps)");
  if (end == std::string::npos) return "";
  const std::size_t begin = line.find_last_not_of("0123456789", end - 1) + 1;
  return begin < end ? " --steps " + line.substr(begin, end - begin) : "";
}

}  // namespace

void warn_of_verdict(const std::string& model, const std::string& sampler, double beta, bool held, Display* display) {
  const std::filesystem::path file = model;
  if (!display || sampler != "gibbs") return;
  const std::string line = file.filename() == "model.h5" && beta == 1.0 ? verdict_in(file.parent_path()) : "";
  if (line.empty() && !held)
    display->note(
        fmt::format("whether Gibbs chains mix on this model was not looked at: 'harmonium diagnose {}{}' does.", model,
                    beta == 1.0 ? "" : fmt::format(" --beta {:g}", beta)));
  const std::string verdict = verdict_words(line);
  const char* of = held ? "the run's own verdict on Gibbs chains, of which nothing is held"
                        : "the run's own verdict on Gibbs chains";
  if (verdict == "not decided" && !held)
    display->warn(
        fmt::format("{}: {}. 'harmonium diagnose {}{}' looks for longer.", of, line, model, steps_option(line)));
  if (verdict != "not mixed") return;
  display->warn(
      fmt::format("{}: {}. What {} draw may keep to the modes that they begin in; --sampler parallel_tempering passes "
                  "between modes.",
                  of, line, held ? "these or those with something held" : "they"));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
