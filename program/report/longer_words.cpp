#include <harmonium/program/report/longer_words.hpp>

#include <fmt/format.h>

namespace harmonium {
inline namespace v1 {

std::string longer_words(const Value& config) {
  const Value* training = config.is_table() ? config.find("training") : nullptr;
  const auto is_set = [&](const char* name) {
    const Value* value = training && training->is_table() ? training->find(name) : nullptr;
    return value && value->number().value_or(0.0) > 0.0;
  };
  const Value* optimizer = config.is_table() ? config.find("optimizer") : nullptr;
  const Value* schedule = optimizer && optimizer->is_table() ? optimizer->find("schedule") : nullptr;
  // What falls to a final factor goes by the length of the run.
  if (schedule && schedule->is_table() && schedule->find("final"))
    return fmt::format(
        "'harmonium train RUN/config.toml --output LONGER --set training.{}=N', over which the learning rate falls "
        "anew, as 'resume' would not have it",
        is_set("num_updates") ? "num_updates" : "num_epochs");
  const std::string command = "'harmonium resume RUN --epochs N'";
  if (is_set("checkpoint_every") || is_set("checkpoint_minutes")) return command;
  return command + ", which makes all epochs again, as the run kept no checkpoint (training.checkpoint_every)";
}

}  // namespace v1
}  // namespace harmonium
