#include <harmonium/program/stack/machines_settings.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace harmonium {
inline namespace v1 {
namespace {

/// Of a setting that `written` gives: who sets one of `keys`.
void tell_who_sets(const std::vector<std::string>& keys, const std::string& written, const StackFile& file,
                   Terminal& terminal) {
  const auto tell = [&](const Settings& own, const std::string& who) {
    for (const auto& [key, value] : own)
      if (std::ranges::find(keys, key) != keys.end())
        terminal.warn(fmt::format("{}: {} sets {} too, which goes before it.", written, who,
                                  written.starts_with("--set") ? "it" : key));
  };
  for (std::size_t k = 0; k < file.machines.size(); ++k) tell(file.machines[k], fmt::format("machine {}", k + 1));
  if (file.fine_tune) tell(*file.fine_tune, "fine_tune");
  for (std::size_t phase = 0; phase < file.joint.size(); ++phase)
    tell(file.joint[phase], phase == 0 ? "joint" : fmt::format("phase {} of joint", phase + 1));
}

}  // namespace

void tell_what_machines_set(const StackFile& file, const TrainRequest& request, Terminal& terminal) {
  for (const std::string& assignment : request.set)
    tell_who_sets({assignment.substr(0, assignment.find('='))}, "--set " + assignment, file, terminal);
  if (request.epochs)
    tell_who_sets({"training.num_epochs", "training.num_updates"}, fmt::format("--epochs {}", *request.epochs), file,
                  terminal);
}

}  // namespace v1
}  // namespace harmonium
