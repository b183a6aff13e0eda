#include <harmonium/framework/run/kept_machines.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/model_header.hpp>
#include <harmonium/framework/files/sha256.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/run/run_logs.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

std::vector<KeptMachine> kept_machines(const std::filesystem::path& run, const EnergyModel& model) {
  if (run.empty()) return {};
  const std::vector<std::filesystem::path> files = kept_checkpoints(run);
  if (files.empty())
    throw ConfigError(
        fmt::format("{}: no checkpoints of a run are there. Name the folder of a run that kept some "
                    "(training.checkpoint_every, with checkpoint_keep = \"log_spaced\" or \"all\").",
                    run.string()));
  const std::unique_ptr<EnergyModel> machine = model.copy();
  if (!machine)
    throw CapabilityError(
        "the model cannot be copied, and a ladder of machines needs one for each rung. Take parallel_tempering.");
  std::vector<KeptMachine> kept;
  for (const std::filesystem::path& file : files) {
    read_model_header(file);  // which finds damage
    load_parameters(file, *machine);
    kept.push_back({*update_of_checkpoint(file), {machine->parameters().begin(), machine->parameters().end()}});
  }
  return kept;
}

std::vector<std::uint64_t> mark_of_kept(const std::filesystem::path& run) {
  std::string all;
  for (const std::filesystem::path& file : kept_checkpoints(run))
    all += fmt::format("{}  {}\n", sha256_of_file(file), *update_of_checkpoint(file));
  const std::string digits = sha256(all);
  std::vector<std::uint64_t> words;
  for (std::size_t at = 0; at < digits.size(); at += 16)
    words.push_back(std::stoull(digits.substr(at, 16), nullptr, 16));
  return words;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
