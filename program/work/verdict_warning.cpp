#include <harmonium/program/work/verdict_warning.hpp>

#include <filesystem>

#include <fmt/format.h>

#include <harmonium/framework/files/verdict_file.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void warn_of_verdict(const std::string& model, const std::string& sampler, Display* display) {
  const std::filesystem::path file = model;
  if (!display || sampler != "gibbs" || file.filename() != "model.h5") return;
  const std::string line = verdict_in(file.parent_path());
  if (verdict_words(line) != "not mixed") return;
  display->warn(
      fmt::format("the run's own verdict on Gibbs chains: {}. What they draw may keep to the modes that they begin in; "
                  "--sampler parallel_tempering passes between modes.",
                  line));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
