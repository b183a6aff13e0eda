#include <harmonium/cli/command_line.hpp>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <harmonium/cli/help.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/version.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr std::uint64_t most_of_a_count = std::numeric_limits<std::int64_t>::max();  // what a configuration can hold

constexpr const char* overview =
    "Harmonium: define, train, sample and judge energy-based models, p(x) = exp(-E(x)) / Z.";

constexpr const char* first_steps =
    "First steps:\n"
    "  harmonium init FILE --output CONFIG.toml          writes a configuration for a data file\n"
    "  harmonium train CONFIG.toml --output RUN          writes RUN/model.h5\n"
    "  harmonium evaluate RUN/model.h5 --data FILE       how likely the data is under the model\n"
    "  harmonium sample RUN/model.h5 --num-samples 100 --gibbs-steps 1000 --output samples.npy\n"
    "  harmonium draw RUN/model.h5 --output filters.png  what its hidden units look for\n"
    "  harmonium list                                    what a configuration can name\n"
    "  harmonium describe estimator pcd                  the options of one of these\n"
    "  harmonium plugins                                 what plugins add to them\n\n"
    "'harmonium COMMAND --help' tells what a command takes. Results go to standard output, all else to standard "
    "error.\n"
    "Exit status: 0 done; 2 a mistake in the command line or the configuration; 1 a failure at run time.";

constexpr const char* train_more =
    "RUN receives config.toml (every default written out), metrics.jsonl, timing.jsonl, checkpoints/, pictures/ and\n"
    "model.h5; 'harmonium train RUN/config.toml' repeats the run to the last bit. Ctrl-C keeps a checkpoint to go on "
    "from.\n"
    "A run that diverges leaves no model.h5, but its last good model in checkpoints/last_good.h5.\n\n"
    "Example: harmonium train CONFIG.toml --set optimizer.learning_rate=0.02 --set estimator.type=pcd";

constexpr const char* init_more =
    "The configuration holds what the file calls for (units of the kind of its values, what is made of these, labels) "
    "and,\n"
    "above each setting, what it means and when to change it. It can be trained as it stands. Where the values could "
    "mean\n"
    "one thing or another, nothing is written, and the error says what to decide.\n\n"
    "Example: harmonium init train.npy --output CONFIG.toml && harmonium train CONFIG.toml";

constexpr const char* explain_more =
    "Prints the configuration that a run would write, with defaults filled in and presets spelt out; above each "
    "setting\n"
    "what it means, its type, its limits and its default; and in front the numbers that follow from it: parameters,\n"
    "updates, operations and memory. The output is a configuration itself. Nothing is written and nothing is "
    "trained.\n"
    "Of a model file it is the configuration that the model was trained by, for which its data must still be there.\n\n"
    "Example: harmonium explain CONFIG.toml --set estimator.type=cd\n"
    "         harmonium explain RUN/model.h5";

constexpr const char* import_more =
    "EDGES has a line 'n m', then m lines 'i j w', nodes counted from 1. FILE.h5 receives a model of n spins whose "
    "energy\n"
    "is -sum w s s, each edge once, to sample and to evaluate as any other.\n\n"
    "Example: harmonium import glass.txt.gz --output glass.h5 &&\n"
    "         harmonium sample glass.h5 --sampler parallel_tempering --beta 2 --num-samples 100 --gibbs-steps 2000 \\\n"
    "           --output samples.npy";

constexpr const char* sample_more =
    "Each row is a chain of its own, started from the model with its couplings set to zero (its biases alone).\n"
    "FILE.npy and FILE.csv hold N rows with the columns of all observed layers; FILE.h5 holds the same as the dataset\n"
    "'samples'.\n\n"
    "Example: harmonium sample RUN/model.h5 --num-samples 100 --gibbs-steps 1000 --output samples.npy";

constexpr const char* evaluate_more =
    "Prints log Z and, for data, the means of log likelihood, free energy, pseudo log likelihood and reconstruction\n"
    "error. What needs data that was not given, or what the model does not offer, is '-', or null with --json, and "
    "the\n"
    "reason stands below, or in \"reasons\".\n\n"
    "Example: harmonium evaluate RUN/model.h5 --data test.npy --set data.binarize=threshold --json";

constexpr const char* draw_more =
    "--what: filters (a tile for each unit: its couplings, blue below zero, red above), samples, data, "
    "reconstructions\n"
    "(below each row of data) or chains (one a row, time to the right). Without it: the filters of a model; all "
    "pictures\n"
    "of a run, into RUN/pictures; the rows of a file (.npy, IDX, samples in .h5).\n\n"
    "Example: harmonium draw RUN/model.h5 --output filters.png\n"
    "         harmonium draw RUN --what chains --gibbs-steps 5000 --output chains.png\n"
    "         harmonium draw samples.npy --shape 28x28 --count 64 --output samples.png";

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
    "Exit status 1 where something failed.\n\n"
    "Example: harmonium check CONFIG.toml --plugin build/ring.so";

constexpr const char* plugins_more =
    "Looks in the folders of HARMONIUM_PLUGIN_PATH (separated by colons), then in lib/harmonium/plugins of the\n"
    "installation. What cannot be loaded is listed with the reason.\n\n"
    "Example: HARMONIUM_PLUGIN_PATH=build harmonium plugins";

constexpr const char* gradient_more =
    "Prints figures for each tensor: the norm of the mean estimate; the variance of one estimate; and against another\n"
    "estimator the norm of the mean's bias, the cosine and the share of entries with another sign. Each repeat is an\n"
    "estimator of its own, from its start; with --warm-up chains that persist have gone on for N estimates.\n\n"
    "Example: harmonium gradient RUN/model.h5 --data test.npy --estimator cd --set estimator.gibbs_steps=5 \\\n"
    "           --repeats 100 --against exact --output gradient.h5";

CLI::Option* add_plugins(CLI::App* command, std::vector<std::string>& plugins) {
  return command->add_option("--plugin", plugins, "Load a plugin: its name, or its file (as often as needed)")
      ->type_name("PLUGIN")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false)
      ->check(not_empty());
}

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
    "'harmonium describe study cd-bias' lists the options of a study.\n\n"
    "Example: harmonium study cd-bias --set 'sizes=[6, 7]' --set num_seeds=3 --output DIR";

/// Options that every command which runs a model takes.
void add_common(CLI::App* command, CommonRequest& r, bool& quiet, const char* settings) {
  const char* group = "Options of every command that runs a model";
  command->add_option("--set", r.set, fmt::format("Set one option (as often as needed), such as {}", settings))
      ->type_name("KEY=VALUE")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false)
      ->group(group);
  command->add_option("--seed", r.seed, "Seed of all random numbers (default: that of the configuration or the model)")
      ->type_name("N")
      ->check(whole_number(0, most_of_a_count))
      ->group(group);
  command->add_option("--threads", r.threads, "Most threads to use (default: all cores); results do not depend on it")
      ->type_name("N")
      ->check(whole_number(1, 4096))
      ->group(group);
  command->add_flag("--quiet", quiet, "No progress bar and no remarks")->group(group);
  add_plugins(command, r.plugins)->group(group);
}

CLI::App* add_command(CLI::App& app, const char* name, const char* summary, const char* more) {
  CLI::App* command = app.add_subcommand(name, summary);
  if (*more) command->footer(more);
  return command;
}

CLI::Option* add_model(CLI::App* command, std::string& model) {
  return command->add_option("MODEL.h5", model, "Model file: model.h5 of a run, or a checkpoint")
      ->type_name("FILE")
      ->required()
      ->check(not_empty());
}

CLI::Option* add_name(CLI::App* command, const char* flag, std::string& slot, const char* type, const char* help) {
  return command->add_option(flag, slot, help)->type_name(type)->check(not_empty());
}

CLI::Option* add_count(CLI::App* command, const char* flag, std::uint64_t& slot, const char* type, std::uint64_t least,
                       const char* help) {
  return command->add_option(flag, slot, help)->type_name(type)->check(whole_number(least, most_of_a_count));
}

void add_beta(CLI::App* command, double& beta) {
  command->add_option("--beta", beta, "Inverse temperature: p(x) ~ exp(-B E(x)) (default: 1)")
      ->type_name("B")
      ->check(positive_number());
}

}  // namespace

std::optional<CommandLine> read_command_line(int argc, char** argv, std::string& answer) {
  CommandLine line;
  CLI::App app{overview, "harmonium"};
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.require_subcommand(0, 1);
  app.footer(first_steps);

  CLI::App* train = add_command(app, "train", "Train the model that a configuration describes", train_more);
  train->add_option("CONFIG.toml", line.config_path, "Configuration; none with --resume")
      ->type_name("FILE")
      ->check(not_empty());
  add_name(train, "--output", line.train.output, "RUN",
           "Folder of the run (default: runs/CONFIG-N, N the next free number)");
  train->add_flag("--overwrite", line.train.overwrite, "Replace the run that RUN holds already");
  std::string resume;
  add_name(train, "--resume", resume, "RUN", "Go on with the run in this folder from its latest checkpoint");
  add_common(train, line.train, line.quiet, "training.num_epochs=20");

  CLI::App* init = add_command(app, "init", "Write a configuration for a data file, with comments", init_more);
  init->add_option("DATA", line.init.data, "Data file (IDX, .npy, CSV, FASTA or HDF5; all but the last also gzipped)")
      ->type_name("FILE")
      ->required()
      ->check(not_empty());
  add_name(init, "--output", line.init.output, "CONFIG.toml", "Where to write it (default: standard output)");
  init->add_flag("--overwrite", line.init.overwrite, "Replace CONFIG.toml where there is one");
  add_common(init, line.init, line.quiet, "model.num_hidden=64");

  CLI::App* explain =
      add_command(app, "explain", "Say what a configuration means and what its run would take", explain_more);
  explain->add_option("CONFIG.toml", line.config_path, "Configuration, config.toml of a run, or a model file")
      ->type_name("FILE")
      ->required()
      ->check(not_empty());
  add_common(explain, line.explain, line.quiet, "training.num_epochs=20");

  CLI::App* check = add_command(app, "check", "Test the components that a configuration names", check_more);
  check->add_option("CONFIG.toml", line.config_path, "Configuration, or config.toml of a run")
      ->type_name("FILE")
      ->required()
      ->check(not_empty());
  add_common(check, line.check, line.quiet, "model.size=6");

  CLI::App* edges = add_command(app, "import", "Make a model of spins from a file of edges", import_more);
  edges->add_option("EDGES", line.import_edges.edges, "File of edges, plain or gzipped")
      ->type_name("FILE")
      ->required()
      ->check(not_empty());
  add_name(edges, "--output", line.import_edges.output, "FILE.h5", "Model file; replaced if it exists")->required();
  edges->add_flag("--negate", line.import_edges.negate,
                  "The energy of the file's edges is +sum w s s, as of max-cut instances");
  edges->add_option("--precision", line.import_edges.precision, "float64 or float32 (default: float64)")
      ->type_name("NAME")
      ->check(CLI::IsMember({"float64", "float32"}));

  CLI::App* sample = add_command(app, "sample", "Draw samples of a model's observed units", sample_more);
  add_model(sample, line.sample.model);
  add_count(sample, "--num-samples", line.sample.num_samples, "N", 1, "Rows to draw")->required();
  add_count(sample, "--gibbs-steps", line.sample.gibbs_steps, "K", 0,
            "Transitions of each chain before its row is taken")
      ->required();
  add_name(sample, "--output", line.sample.output, "FILE", "FILE.npy, FILE.h5 or FILE.csv; replaced if it exists")
      ->required();
  add_name(sample, "--sampler", line.sample.sampler, "NAME",
           "What moves the chains (default: gibbs; see 'harmonium list sampler')");
  add_beta(sample, line.sample.beta);
  add_count(sample, "--thin", line.sample.thin, "T", 1, "One chain instead of N: K transitions, then a row every T");
  sample
      ->add_option("--clamp", line.sample.clamp,
                   "Hold units: LAYER=VALUE, LAYER[I]=VALUE, LAYER[I:J]=VALUE, or a FILE of rows with nan")
      ->type_name("WHAT")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  sample->add_flag("--descend", line.sample.descend,
                   "Then take each row downhill to a local minimum of the energy: no samples, but low states");
  sample->add_flag("--raw", line.sample.raw,
                   "Keep the units of the model where its data were standardised or whitened");
  add_common(sample, line.sample, line.quiet, "sampler.tile=8");

  CLI::App* evaluate =
      add_command(app, "evaluate", "Judge a model: log Z, log likelihood of data, and more", evaluate_more);
  add_model(evaluate, line.evaluate.model);
  const char* data_help = "Data (IDX, .npy, CSV, FASTA or HDF5), read with the options of the model's run";
  add_name(evaluate, "--data", line.evaluate.data, "FILE", data_help);
  add_beta(evaluate, line.evaluate.beta);
  add_name(evaluate, "--log-z", line.evaluate.log_z, "NAME",
           "How log Z is found (default: exact, of a small model; see 'harmonium list log_partition')");
  evaluate->add_flag("--json", line.json, "One JSON object, numbers with 17 significant digits");
  add_common(evaluate, line.evaluate, line.quiet, "data.scale=0.5 or log_z.max_bits=32");

  CLI::App* gradient = add_command(
      app, "gradient", "Estimate the gradient of data's mean log likelihood (direction of ascent)", gradient_more);
  add_model(gradient, line.gradient.model);
  add_name(gradient, "--data", line.gradient.data, "FILE", data_help);
  add_name(gradient, "--estimator", line.gradient.estimator, "NAME", "See 'harmonium list estimator'")->required();
  add_name(gradient, "--output", line.gradient.output, "FILE.h5",
           "Receives the groups gradient, variance and against; replaced if it exists")
      ->required();
  add_count(gradient, "--repeats", line.gradient.repeats, "N", 1, "Independent estimates to average (default: 1)");
  add_count(gradient, "--warm-up", line.gradient.warm_up, "N", 0,
            "Estimates of each repeat before the one that counts (default: 0)");
  add_name(gradient, "--against", line.gradient.against, "NAME", "Compare with this estimator, such as exact");
  gradient->add_flag("--json", line.json, "One JSON object, numbers with 17 significant digits");
  add_common(gradient, line.gradient, line.quiet, "estimator.gibbs_steps=5 or data.scale=0.5");

  CLI::App* draw =
      add_command(app, "draw", "Draw pictures of a model, a run or a file of data: filters, samples, rows", draw_more);
  draw->add_option("WHAT", line.draw.input, "MODEL.h5, the folder of a run, or a file of data")
      ->type_name("FILE")
      ->required()
      ->check(not_empty());
  add_name(draw, "--output", line.draw.output, "FILE.png", "Replaced if it exists; of all pictures of a run, a folder");
  add_name(draw, "--what", line.draw.what, "KIND", "filters, samples, data, reconstructions or chains");
  add_name(draw, "--shape", line.draw.shape, "HxW",
           "Height and width of a tile (default: those of the data; or a square; or lines)");
  add_count(draw, "--count", line.draw.count, "N", 1, "Tiles, pairs or chains at most (default: 100, 50 or 10)");
  add_count(draw, "--columns", line.draw.columns, "N", 1,
            "Tiles beside one another (default: what gives a good shape)");
  add_name(draw, "--tensor", line.draw.tensor, "NAME",
           "Tensor to draw filters of (default: the largest from an observed to a latent layer)");
  add_count(draw, "--gibbs-steps", line.draw.gibbs_steps.emplace(), "K", 0,
            "Transitions of each chain, of samples and (at most) of chains (default: 1000)");
  add_name(draw, "--sampler", line.draw.sampler, "NAME",
           "What moves the chains (default: gibbs; see 'harmonium list sampler')");
  add_name(draw, "--data", line.draw.data, "FILE",
           "Data file in place of what the model was trained on (any kind that train reads)");
  add_common(draw, line.draw, line.quiet, "data.binarize=threshold or sampler.tile=8");

  CLI::App* study = add_command(app, "study", "Make a whole study: its runs, tables, figures and findings", study_more);
  study->add_option("NAME", line.study.name, "cd-bias or estimators")
      ->type_name("NAME")
      ->required()
      ->check(not_empty());
  study->add_option("CONFIG.toml", line.config_path, "Options of the study; each has a default")
      ->type_name("FILE")
      ->check(not_empty());
  add_name(study, "--output", line.study.output, "DIR", "Folder of the study (default: its name)");
  study->add_flag("--overwrite", line.study.overwrite, "Replace the study that DIR holds already");
  add_common(study, line.study, line.quiet, "num_seeds=3");

  CLI::App* list = add_command(app, "list", "What a configuration can name: all components, or those of a kind",
                               "Example: harmonium list sampler");
  list->add_option("KIND", line.kind, "Such as model, sampler, estimator or data")->type_name("KIND");
  add_plugins(list, line.plugins);

  std::vector<std::string> described;
  CLI::App* describe = add_command(app, "describe", "The options of a component: describe [KIND] NAME",
                                   "Example: harmonium describe sampler gibbs");
  describe->add_option("NAME", described, "Its name, as 'harmonium list' gives it; its kind, where needed, in front")
      ->type_name("NAME")
      ->required()
      ->expected(1, 1000);
  add_plugins(describe, line.plugins);

  CLI::App* plugins = add_command(app, "plugins", "The plugins that are found, and what each provides", plugins_more);
  plugins
      ->add_option("--plugin", line.plugins, "List this file too (as often as needed); what fails of these is an error")
      ->type_name("FILE")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false)
      ->check(not_empty());

  // After the commands, which would inherit it.
  app.set_version_flag("--version", fmt::format("harmonium {} ({})", version(), revision()),
                       "Print the version and exit");

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const auto commands = app.get_subcommands();
    answer = commands.empty() ? app.help() : commands[0]->help();
    for (std::size_t at = 0; (at = answer.find("\n\n\n", at)) != std::string::npos;) answer.erase(at, 1);
    return {};
  } catch (const CLI::CallForVersion& e) {
    answer = fmt::format("{}\n", e.what());
    return {};
  } catch (const CLI::ParseError& e) {
    throw ConfigError(words(app, e));
  }

  if (draw->count("--gibbs-steps") == 0) line.draw.gibbs_steps.reset();

  if (train->parsed()) {
    line.command = Command::train;
    if (!resume.empty()) {
      if (!line.config_path.empty() || !line.train.output.empty() || line.train.overwrite || !line.train.set.empty() ||
          line.train.seed)
        throw ConfigError(
            "--resume RUN goes on with what the folder holds: give no configuration, --output, --overwrite, --set or "
            "--seed "
            "with it.");
      line.train.resume = true;
      line.train.output = resume;
      line.config_path = (std::filesystem::path(resume) / "config.toml").string();
    } else if (line.config_path.empty()) {
      throw ConfigError("train: CONFIG.toml is missing. See 'harmonium train --help'.");
    }
  } else if (init->parsed()) {
    line.command = Command::init;
    if (line.init.overwrite && line.init.output.empty())
      throw ConfigError("init: --overwrite says what to do with a file, and there is none. Add --output CONFIG.toml.");
  } else if (explain->parsed()) {
    line.command = Command::explain;
  } else if (check->parsed()) {
    line.command = Command::check;
  } else if (edges->parsed()) {
    line.command = Command::import_edges;
  } else if (sample->parsed()) {
    line.command = Command::sample;
  } else if (evaluate->parsed()) {
    line.command = Command::evaluate;
  } else if (gradient->parsed()) {
    line.command = Command::gradient;
  } else if (draw->parsed()) {
    line.command = Command::draw;
  } else if (study->parsed()) {
    if (line.study.output.empty()) line.study.output = line.study.name;
    line.command = Command::study;
  } else if (list->parsed()) {
    line.command = Command::list;
  } else if (plugins->parsed()) {
    line.command = Command::plugins;
  } else if (describe->parsed()) {
    line.command = Command::describe;
    if (described.size() > 2)
      throw ConfigError("describe: it takes a name, or a kind and a name. See 'harmonium describe --help'.");
    line.name = described.back();
    line.kind = described.size() == 2 ? described[0] : "";
  } else {
    throw ConfigError(
        "no command is given. Commands: train, init, explain, check, import, sample, evaluate, gradient, draw, study, "
        "list, describe, plugins. See "
        "'harmonium --help'.");
  }
  return line;
}

}  // namespace v1
}  // namespace harmonium
