#include <fmt/format.h>

#include <harmonium/cli/options.hpp>
#include <harmonium/cli/text.hpp>
#include <harmonium/framework/config/overrides.hpp>
#include <harmonium/program/commands.hpp>
#include <harmonium/program/configuration.hpp>
#include <harmonium/program/precision.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr const char* study_more =
    "cd-bias: how far contrastive divergence is from the gradient of the likelihood, by the protocol of Bengio & "
    "Delalleau\n"
    "(2009): small machines, trained until they know their data, where every expectation is a sum. DIR receives "
    "cd_bias.csv\n"
    "(at the stopping criterion), trace.csv, fixed_updates.csv, runs.csv, five figures (SVG and PNG, drawn by gnuplot) "
    "and\n"
    "report.md with the paper's claims, checked. Given again, an interrupted study goes on, and ends in the same "
    "bytes.\n"
    "estimators: every estimator of the gradient against the exact one, on such machines, at equal compute. DIR "
    "receives\n"
    "estimators.csv and a figure. Given again, it goes on too; seconds are measured and differ.\n"
    "With another num_seeds a study in DIR goes on with the seeds that are done.\n"
    "'harmonium describe study cd-bias' lists the options of a study.";

class StudyCommand final : public RequestCommand<StudyRequest> {
 public:
  StudyCommand()
      : RequestCommand(
            "study", "Make a whole study: its runs, tables, figures and findings", study_more,
            {"harmonium study cd-bias --set 'sizes=[3]' --set num_seeds=2 --output bias",
             "harmonium study estimators --set size=4 --set 'updates=[200]' --set num_seeds=2 --output compute"}) {}

  void declare(CLI::App& command) override {
    command.add_option("NAME", request_.name, "cd-bias or estimators")
        ->type_name("NAME")
        ->required()
        ->check(not_empty());
    add_file(command, "CONFIG.toml", path_, "Options of the study; each has a default")->check(not_empty());
    add_name(command, "--output", request_.output, "DIR", "Folder of the study (default: its name)");
    command.add_flag("--overwrite", request_.overwrite, "Replace the study that DIR holds already");
    add_common(command, request_, quiet_, "num_seeds=3");
  }
  void settle() override {
    if (request_.output.empty()) request_.output = request_.name;
  }
  int run(Terminal& terminal) override {
    request_.config = path_.empty() ? make_table() : read_configuration(path_);
    for (const std::string& assignment : request_.set) apply_override(request_.config, assignment);
    const StudyOutcome outcome = program(Precision::float64).study(request_);  // the only one that has studies
    terminal.finish();
    if (outcome.text.empty()) {
      say(fmt::format("harmonium: stopped with {} of {} {} done. The same command goes on.", outcome.done,
                      outcome.total, outcome.parts));
      return 1;
    }
    if (!quiet_) write_out(outcome.text);
    return 0;
  }

 private:
  std::string path_;
};

}  // namespace

std::unique_ptr<Command> study_command() { return std::make_unique<StudyCommand>(); }

}  // namespace v1
}  // namespace harmonium
