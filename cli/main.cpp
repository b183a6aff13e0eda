// The program `harmonium`: reads the command line, chooses the precision, runs the command, and says what went wrong.
#include <csignal>
#include <cstdio>
#include <filesystem>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <harmonium/cli/print.hpp>
#include <harmonium/cli/terminal.hpp>
#include <harmonium/framework/config/overrides.hpp>
#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/version.hpp>
#include <harmonium/framework/files/model_header.hpp>
#include <harmonium/plugins/builtin/program.hpp>

namespace {

using namespace harmonium;

std::atomic<bool> stop_asked{false};

/// The first signal asks for an orderly end; a second one kills.
void ask_to_stop(int signal) {
  stop_asked.store(true);
  std::signal(signal, SIG_DFL);
}

bool single(const std::string& precision) { return precision == "float32"; }

void write_out(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw FileError("cannot write to standard output.");
}

/// Options that every command which runs a model takes.
struct Common {
  bool quiet = false;

  void add(CLI::App* command, CommonRequest& r) {
    command->add_option("--seed", r.seed, "Seed of all random words (default: that of the configuration or model)")
        ->check(CLI::NonNegativeNumber);
    command->add_option("--threads", r.threads, "Most threads to use; results do not depend on it (default: all cores)")
        ->check(CLI::Range(1, 4096));
    command->add_flag("--quiet", quiet, "No progress bar and no remarks");
    command->add_option("--set", r.set, "Override one option: --set KEY=VALUE, as often as needed")
        ->type_name("KEY=VALUE")->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->allow_extra_args(false);
  }
};

int run_program(int argc, char** argv) {
  CLI::App app{
      "Harmonium: define, train, sample and judge energy-based models, p(x) = exp(-E(x)) / Z.\n\n"
      "Start with\n"
      "  harmonium train CONFIG.toml          train what a configuration describes\n"
      "  harmonium evaluate MODEL.h5 --data FILE    how likely data is under a trained model\n"
      "  harmonium sample MODEL.h5 ...        draw from it\n"
      "  harmonium list                       what a configuration can name\n"};
  app.set_version_flag("--version", fmt::format("harmonium {} ({})", version(), revision()));
  app.require_subcommand(1);
  app.set_help_all_flag("--help-all", "Help of every command");

  std::string config_path;
  TrainRequest train;
  Common train_common;
  CLI::App* train_command = app.add_subcommand(
      "train",
      "Train the model that a TOML configuration describes.\n"
      "The run's folder receives config.toml (every default written out), metrics.jsonl, timing.jsonl and model.h5;\n"
      "'harmonium train FOLDER/config.toml' repeats the run to the last bit.");
  train_command->add_option("config", config_path, "Configuration (TOML); not with --resume");
  train_command->add_option("--output", train.output, "Folder of the run (default: runs/NAME-N)");
  train_command->add_flag("--overwrite", train.overwrite, "Replace the run that --output holds");
  std::string resume;
  train_command->add_option("--resume", resume, "Go on with the run in this folder from its latest checkpoint");
  train_common.add(train_command, train);

  SampleRequest sample;
  Common sample_common;
  CLI::App* sample_command = app.add_subcommand(
      "sample",
      "Draw samples of a trained model's observed units.\n"
      "Chains start from the model with its couplings set to zero (its biases only).");
  sample_command->add_option("model", sample.model, "Model file (model.h5 of a run)")->required();
  sample_command->add_option("--num-samples", sample.num_samples, "Rows to draw")->required()->check(CLI::PositiveNumber);
  sample_command->add_option("--gibbs-steps", sample.gibbs_steps, "Transitions of each chain before its row is taken")
      ->required()->check(CLI::NonNegativeNumber);
  sample_command->add_option("--sampler", sample.sampler, "What moves the chains (see 'harmonium list sampler')")
      ->capture_default_str();
  sample_command->add_option("--beta", sample.beta, "Inverse temperature: draw from p(x) ~ exp(-beta E(x))")
      ->capture_default_str();
  sample_command->add_option("--thin", sample.thin, "One chain: --gibbs-steps transitions, then a row every T")
      ->type_name("T")->check(CLI::PositiveNumber);
  sample_command->add_option("--output", sample.output, "FILE.npy or FILE.h5 (dataset 'samples'); replaced if there")
      ->required();
  sample_common.add(sample_command, sample);

  EvaluateRequest evaluate;
  Common evaluate_common;
  bool evaluate_json = false;
  CLI::App* evaluate_command = app.add_subcommand(
      "evaluate",
      "Judge a trained model: log Z, and for data the mean log likelihood, free energy, pseudo log likelihood and\n"
      "reconstruction error. What the model or the command line does not offer is null.");
  evaluate_command->add_option("model", evaluate.model, "Model file (model.h5 of a run)")->required();
  evaluate_command->add_option("--data", evaluate.data, "Data file (IDX or NPY, plain or gzipped), read with the options of the model's run");
  evaluate_command->add_option("--beta", evaluate.beta, "Inverse temperature: judge p(x) ~ exp(-beta E(x))")
      ->capture_default_str();
  evaluate_command->add_option("--log-z", evaluate.log_z, "How log Z is found (see 'harmonium list log_partition')");
  evaluate_command->add_flag("--json", evaluate_json, "One JSON object, numbers with 17 significant digits");
  evaluate_common.add(evaluate_command, evaluate);

  GradientRequest gradient;
  Common gradient_common;
  bool gradient_json_asked = false;
  CLI::App* gradient_command = app.add_subcommand(
      "gradient",
      "Estimate the gradient of the mean log likelihood of data (direction of ascent), and compare it with another\n"
      "estimator, such as the exact one of a small model.");
  gradient_command->add_option("model", gradient.model, "Model file (model.h5 of a run)")->required();
  gradient_command->add_option("--data", gradient.data, "Data file (IDX or NPY, plain or gzipped)")->required();
  gradient_command->add_option("--estimator", gradient.estimator, "See 'harmonium list estimator'")->required();
  gradient_command->add_option("--repeats", gradient.repeats, "Independent estimates to average")
      ->capture_default_str()->check(CLI::PositiveNumber);
  gradient_command->add_option("--against", gradient.against, "Compare with this estimator, such as 'exact'");
  gradient_command->add_option("--output", gradient.output, "FILE.h5: groups gradient, variance, against; replaced if there")
      ->required();
  gradient_command->add_flag("--json", gradient_json_asked, "One JSON object, numbers with 17 significant digits");
  gradient_common.add(gradient_command, gradient);

  std::string list_kind;
  CLI::App* list_command = app.add_subcommand("list", "What a configuration can name: all components, or those of a kind.");
  list_command->add_option("kind", list_kind, "Kind, such as model, sampler, estimator, data");

  std::vector<std::string> described;
  CLI::App* describe_command = app.add_subcommand("describe", "Every option of a component: describe [KIND] NAME.");
  describe_command->add_option("name", described, "[KIND] NAME")->required()->expected(1, 2);

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& e) {
    return app.exit(e);
  } catch (const CLI::CallForAllHelp& e) {
    return app.exit(e);
  } catch (const CLI::CallForVersion& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    throw ConfigError(fmt::format("{} See 'harmonium {}--help'.", e.what(),
                                  app.get_subcommands().empty() ? "" : app.get_subcommands()[0]->get_name() + " "));
  }
  const auto check_beta = [](double beta) {
    if (!(beta > 0.0) || !std::isfinite(beta)) throw ConfigError(fmt::format("--beta {}: it must be a finite number above 0.", beta));
  };

  if (train_command->parsed()) {
    Terminal terminal(train_common.quiet);
    train.display = &terminal;
    train.stop = &stop_asked;
    if (!resume.empty()) {
      if (!config_path.empty() || !train.output.empty() || train.overwrite || !train.set.empty() || train.seed)
        throw ConfigError("--resume FOLDER goes on with what the folder holds: give no configuration, --output, --overwrite, --set or --seed with it.");
      train.resume = true;
      train.output = resume;
      config_path = (std::filesystem::path(resume) / "config.toml").string();
    } else if (config_path.empty()) {
      throw ConfigError("train: no configuration is given. See 'harmonium train --help'.");
    }
    train.config = read_toml(config_path);
    for (const std::string& assignment : train.set) apply_override(train.config, assignment);
    const std::filesystem::path absolute = std::filesystem::absolute(config_path);
    train.config_folder = absolute.parent_path().string();
    train.run_name = absolute.stem().string();
    const bool f32 = single(precision_of(train.config, "float32"));
    const TrainOutcome outcome = f32 ? v1_f32::run_train(train) : v1_f64::run_train(train);
    terminal.finish();
    if (outcome.stopped) {
      fmt::print(stderr, "harmonium: stopped after update {}. 'harmonium train --resume {}' goes on.\n", outcome.updates,
                 outcome.folder);
      return 1;
    }
    if (!train_common.quiet) write_out(fmt::format("{}/model.h5\n", outcome.folder));
  } else if (sample_command->parsed()) {
    check_beta(sample.beta);
    Terminal terminal(sample_common.quiet);
    sample.display = &terminal;
    sample.stop = &stop_asked;
    single(read_model_header(sample.model).precision) ? v1_f32::run_sample(sample) : v1_f64::run_sample(sample);
  } else if (evaluate_command->parsed()) {
    check_beta(evaluate.beta);
    Terminal terminal(evaluate_common.quiet);
    evaluate.display = &terminal;
    evaluate.stop = &stop_asked;
    const bool f32 = single(read_model_header(evaluate.model).precision);
    const Evaluation result = f32 ? v1_f32::run_evaluate(evaluate) : v1_f64::run_evaluate(evaluate);
    terminal.finish();
    write_out(evaluate_json ? evaluation_json(result) : evaluation_text(result));
  } else if (gradient_command->parsed()) {
    Terminal terminal(gradient_common.quiet);
    gradient.display = &terminal;
    gradient.stop = &stop_asked;
    const bool f32 = single(read_model_header(gradient.model).precision);
    const auto figures = f32 ? v1_f32::run_gradient(gradient) : v1_f64::run_gradient(gradient);
    terminal.finish();
    if (gradient_json_asked) write_out(gradient_json(figures, gradient));
    else if (!gradient_common.quiet) write_out(gradient_text(figures));
  } else if (list_command->parsed()) {
    write_out(list_text(v1_f64::run_describe(), list_kind));
  } else if (describe_command->parsed()) {
    const bool with_kind = described.size() == 2;
    write_out(describe_text(v1_f64::run_describe(), with_kind ? described[0] : "", described.back()));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGINT, ask_to_stop);
  std::signal(SIGTERM, ask_to_stop);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a full disk quota is an error message, not a death
  try {
    return run_program(argc, argv);
  } catch (const Error& error) {
    fmt::print(stderr, "harmonium: {}\n", error.what());
    return error.exit_status();
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "harmonium: out of memory: take a smaller batch, fewer chains or a smaller model.\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "harmonium: unexpected error: {}\n", error.what());
  }
  return 1;
}
