#pragma once

#include <harmonium/cli/command.hpp>

namespace harmonium {
inline namespace v1 {

// Each is defined in the file of its name. What a command computes in a precision is in program/work: its request
// (requests.hpp), its function (commands.hpp), and a member of Program (program.hpp, program.cpp).
std::unique_ptr<Command> train_command();
std::unique_ptr<Command> resume_command();
std::unique_ptr<Command> sweep_command();
std::unique_ptr<Command> stack_command();
std::unique_ptr<Command> init_command();
std::unique_ptr<Command> inspect_command();
std::unique_ptr<Command> explain_command();
std::unique_ptr<Command> check_command();
std::unique_ptr<Command> import_command();
std::unique_ptr<Command> export_command();
std::unique_ptr<Command> sample_command();
std::unique_ptr<Command> evaluate_command();
std::unique_ptr<Command> transform_command();
std::unique_ptr<Command> diagnose_command();
std::unique_ptr<Command> observe_command();
std::unique_ptr<Command> gradient_command();
std::unique_ptr<Command> draw_command();
std::unique_ptr<Command> compare_command();
std::unique_ptr<Command> report_command();
std::unique_ptr<Command> watch_command();
std::unique_ptr<Command> study_command();
std::unique_ptr<Command> recipe_command();
std::unique_ptr<Command> list_command();
std::unique_ptr<Command> describe_command();
std::unique_ptr<Command> plugins_command();

/// All of them, in the order of the help.
Commands all_commands();

}  // namespace v1
}  // namespace harmonium
