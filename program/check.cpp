#include <algorithm>

#include <fmt/format.h>

#include <harmonium/cli/options.hpp>
#include <harmonium/cli/text.hpp>
#include <harmonium/program/commands.hpp>
#include <harmonium/program/configuration.hpp>
#include <harmonium/program/precision.hpp>
#include <harmonium/program/run_argument.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr const char* check_more =
    "Holds the model, its units, the samplers, the estimator, the optimizer and the regularizers of a configuration to "
    "what\n"
    "each must keep: gradients against differences of energies, conditionals against ratios of energies, samplers "
    "started\n"
    "from the exact law or from rows drawn by other means, estimates against the exact gradient, states saved and "
    "restored,\n"
    "any number of threads; their random numbers are always the same. What takes sums over all states is done on a "
    "smaller\n"
    "model of the same kind, where its options allow that. Then a few updates of the run itself, from its own seed or\n"
    "--seed: on other threads, and stopped and resumed. What failed is told once more at the end, and alone with "
    "--quiet.\n"
    "Exit status 1 where something failed.";

enum class Shown : std::uint8_t { all, failed };

/// The results under their subjects, all or those that failed.
std::string check_lines(const std::vector<CheckResult>& results, Shown shown) {
  std::string text, subject;
  for (const CheckResult& r : results) {
    if (shown == Shown::failed && r.outcome != CheckOutcome::failed) continue;
    if (r.subject != subject) text += fmt::format("{}{}\n", subject.empty() ? "" : "\n", r.subject);
    subject = r.subject;
    constexpr const char* words_for[] = {"ok", "FAILED", "note", "skipped"};
    text += fmt::format("  {:<9}{}\n", words_for[static_cast<int>(r.outcome)], r.check);
    text += wrapped(printable(r.words), 11, 118);
  }
  return text;
}

/// Those that failed once more at the end, and how many these are.
std::string check_text(const std::vector<CheckResult>& results) {
  std::size_t counts[4] = {};  // by outcome
  for (const CheckResult& r : results) ++counts[static_cast<std::size_t>(r.outcome)];
  const auto [passed, failed, noted, skipped] = counts;
  std::string text = check_lines(results, Shown::all);
  // Again, where they are not to be looked for among all the others.
  if (failed > 0) text += "\nWhat failed:\n\n" + check_lines(results, Shown::failed);
  text += failed > 0 ? fmt::format("\n{} of {} checks failed.", failed, failed + passed)
                     : fmt::format("\nAll of {} checks passed.", passed);
  return text + fmt::format(" Notes: {}. Skipped: {}.\n", noted, skipped);
}

class Check final : public RequestCommand<TrainRequest> {
 public:
  Check()
      : RequestCommand(
            "check", "Test the components that a configuration names", check_more,
            {"harmonium check config.toml --set estimator.gibbs_steps=2", "harmonium check runs/first --quiet"}) {}

  void declare(CLI::App& command) override {
    add_file(command, "CONFIG.toml|RUN", path_, "Configuration, or the folder of a run")->required();
    add_common(command, request_, quiet_, "model.size=6");
  }
  bool writes_files() const override { return false; }
  int run(Terminal& terminal) override {
    read_configuration(configuration_named(path_), request_);
    const std::vector<CheckResult> results = program(precision_of_config(request_.config)).check(request_);
    terminal.finish();
    write_out(quiet_ ? check_lines(results, Shown::failed) : check_text(results));
    const bool failed =
        std::ranges::any_of(results, [](const CheckResult& r) { return r.outcome == CheckOutcome::failed; });
    return failed ? 1 : 0;
  }

 private:
  std::string path_;
};

}  // namespace

std::unique_ptr<Command> check_command() { return std::make_unique<Check>(); }

}  // namespace v1
}  // namespace harmonium
