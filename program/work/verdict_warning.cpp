#include <harmonium/program/work/verdict_warning.hpp>

#include <filesystem>

#include <fmt/format.h>

#include <harmonium/framework/files/verdict_file.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void warn_of_verdict(const std::string& model, const std::string& sampler, double beta, Display* display) {
  const std::filesystem::path file = model;
  if (!display || sampler != "gibbs") return;
  const std::string line = file.filename() == "model.h5" && beta == 1.0 ? verdict_in(file.parent_path()) : "";
  if (line.empty())
    display->note(
        fmt::format("whether Gibbs chains mix on this model was not looked at: 'harmonium diagnose {}{}' does.", model,
                    beta == 1.0 ? "" : fmt::format(" --beta {:g}", beta)));
  if (verdict_words(line) == "not decided")
    display->warn(fmt::format("the run's own verdict on Gibbs chains: {}. 'harmonium diagnose {}' looks for longer.",
                              line, model));
  if (verdict_words(line) != "not mixed") return;
  display->warn(
      fmt::format("the run's own verdict on Gibbs chains: {}. What they draw may keep to the modes that they begin in; "
                  "--sampler parallel_tempering passes between modes.",
                  line));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
