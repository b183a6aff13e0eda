#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace harmonium {
inline namespace v1 {

/// The group of options that --help leaves out. (CLI11 hides those of no group in its errors, too.)
inline constexpr const char* hidden_group = "Hidden";

/// How --help looks: the usage line that a command was given, and options with the words for their values alone.
class HelpFormatter final : public CLI::Formatter {
 public:
  HelpFormatter() { column_width(27); }
  std::string make_usage(const CLI::App* app, std::string name) const override;
  std::string make_group(std::string group, bool is_positional, std::vector<const CLI::Option*> options) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_option_usage(const CLI::Option* option) const override;
};

/// That there is no command of that name, the nearest one, and all.
std::string unknown_command(const CLI::App& app, const std::string& word);
/// What the parser found wrong, in the program's words: where, what, what to do.
std::string text_of(const CLI::App& app, const CLI::ParseError& error);

/// Checks of single values. They say what is wrong, where the parser would say that it could not convert.
CLI::Validator whole_number(std::uint64_t min, std::uint64_t max);
CLI::Validator positive_number(double most = std::numeric_limits<double>::max());
/// A finite number that is not negative.
CLI::Validator number_from_zero();
CLI::Validator not_empty();

}  // namespace v1
}  // namespace harmonium
