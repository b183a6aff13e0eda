#include <harmonium/program/report/longer_words.hpp>

namespace harmonium {
inline namespace v1 {

std::string longer_words(const Value& config) {
  const Value* training = config.is_table() ? config.find("training") : nullptr;
  const auto is_set = [&](const char* name) {
    const Value* value = training && training->is_table() ? training->find(name) : nullptr;
    return value && value->number().value_or(0.0) > 0.0;
  };
  const std::string command = "'harmonium resume RUN --epochs N'";
  if (is_set("checkpoint_every") || is_set("checkpoint_minutes")) return command;
  return command + ", which makes all epochs again, as the run kept no checkpoint (training.checkpoint_every)";
}

}  // namespace v1
}  // namespace harmonium
