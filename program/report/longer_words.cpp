#include <harmonium/program/report/longer_words.hpp>

#include <fmt/format.h>

#include <harmonium/framework/config/subtable.hpp>

namespace harmonium {
inline namespace v1 {

std::string longer_words(const Value& config) {
  const Value* training = subtable(config, "training");
  const auto is_set = [&](const char* name) {
    const Value* value = training ? training->find(name) : nullptr;
    return value && value->number().value_or(0.0) > 0.0;
  };
  const Value* optimizer = subtable(config, "optimizer");
  const Value* schedule = optimizer ? subtable(*optimizer, "schedule") : nullptr;
  // What falls to a final factor goes by the length of the run.
  if (schedule && schedule->find("final"))
    return fmt::format(
        "'harmonium train RUN/config.toml --output LONGER --set training.{}=N', over which the learning rate falls "
        "anew, as 'resume' would not have it",
        is_set("num_updates") ? "num_updates" : "num_epochs");
  std::string command = "'harmonium resume RUN --epochs N'";
  if (is_set("checkpoint_every") || is_set("checkpoint_minutes")) return command;
  return command + ", which makes all epochs again, as the run kept no checkpoint (training.checkpoint_every)";
}

}  // namespace v1
}  // namespace harmonium
