#include <harmonium/program/commands.hpp>

namespace harmonium {
inline namespace v1 {

Commands all_commands() {
  Commands commands;
  for (const auto make : {train_command,    resume_command,   sweep_command,     stack_command,    init_command,
                          inspect_command,  explain_command,  check_command,     import_command,   export_command,
                          sample_command,   evaluate_command, transform_command, diagnose_command, observe_command,
                          gradient_command, draw_command,     compare_command,   report_command,   watch_command,
                          study_command,    recipe_command,   list_command,      describe_command, plugins_command})
    commands.push_back(make());
  return commands;
}

}  // namespace v1
}  // namespace harmonium
