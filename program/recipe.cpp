#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/cli/options.hpp>
#include <harmonium/cli/text.hpp>
#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/data/sources.hpp>
#include <harmonium/framework/files/output_folder.hpp>
#include <harmonium/program/commands.hpp>
#include <harmonium/program/configuration.hpp>
#include <harmonium/program/precision.hpp>
#include <harmonium/program/recipes/recipe.hpp>
#include <harmonium/program/stack/machines_settings.hpp>
#include <harmonium/program/stack/whole_stack.hpp>
#include <harmonium/program/training.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr const char* recipe_more =
    "A recipe is a run whose figure a paper has, or whose best value is known: it trains, evaluates, and shows the "
    "figure\n"
    "beside that of the paper and the one that it reached here. Without NAME: a list of them. --show prints the\n"
    "configuration, to be changed and trained as any other. Given again, an interrupted recipe goes on.";

/// "-86.1 to -85.7"
std::string reached_words(const Recipe& recipe) {
  return recipe.reached.size() == 1 ? fmt::format("{:.2f}", recipe.reached[0])
                                    : fmt::format("{:.2f} to {:.2f}", recipe.reached[0], recipe.reached[1]);
}

std::string list_text() {
  std::string text;
  for (const Recipe& recipe : recipes()) {
    text += recipe.name + "\n" + wrapped(recipe.about, 4, 110);
    text += wrapped(fmt::format("{}: published {:.2f} ({}); reached {}, in {}", recipe.figure, recipe.published,
                                recipe.source, reached_words(recipe), recipe.time),
                    4, 110);
    if (!recipe.files.empty()) text += wrapped(fmt::format("needs {}", fmt::join(recipe.files, ", ")), 4, 110);
  }
  return text;
}

/// The recipe's file without its table [recipe]: what trains as any other configuration.
std::string configuration_text(const Recipe& recipe) {
  const std::size_t begin = recipe.text.find("[recipe]\n"), end = recipe.text.find("\n[", begin);
  return recipe.text.substr(0, begin) + recipe.text.substr(end + 1);
}

/// The figure of the recipe, with its interval where it is none of an exact sum.
std::string figure_text(const Recipe& recipe, const Evaluation& e) {
  const bool bound = recipe.figure == "variational_bound";
  const std::optional<double> value = bound ? e.variational_bound : e.log_likelihood;
  std::optional<Interval> interval = e.log_likelihood_interval;
  if (bound) interval = e.variational_bound ? e.variational_bound_interval : std::nullopt;
  std::string found = value ? fmt::format("{:.4f}", *value) : std::string("-");
  if (interval && interval->low != interval->high)
    found += fmt::format("  between {:.3f} and {:.3f} (95 %)", interval->low, interval->high);
  if (!value && !e.why.empty()) found += "  " + e.why;
  return fmt::format("{:<20}{}  nats a row of {}\n{:<20}{:.2f}  {}\n{:<20}{}  in {}\n", recipe.figure, found,
                     recipe.rows.empty() ? "the training data" : recipe.rows, "published", recipe.published,
                     recipe.source, "reached before", reached_words(recipe), recipe.time);
}

class RecipeCommand final : public RequestCommand<TrainRequest> {
 public:
  RecipeCommand()
      : RequestCommand("recipe", "Make a run whose figure is published, and compare", recipe_more,
                       {"harmonium recipe", "harmonium recipe bars_and_stripes --output bars"}) {}

  void declare(CLI::App& command) override {
    command.add_option("NAME", name_, "One of those that the command lists")->type_name("NAME")->check(not_empty());
    add_name(command, "--data", data_, "FOLDER", "Where the files of data are (default: the current folder)");
    add_name(command, "--output", request_.output, "RUN", "Folder of the run (default: NAME)");
    command.add_flag("--show", show_, "Print its configuration, and run nothing");
    add_common(command, request_, quiet_, "training.num_epochs=20");
  }
  void settle() override {
    if (name_.empty() && (show_ || !request_.output.empty() || !request_.set.empty()))
      throw ConfigError("recipe: NAME is missing. 'harmonium recipe' lists them.");
    if (request_.output.empty()) request_.output = name_;
    if (!name_.empty() && !show_) check_output_folder(request_.output);
  }
  int run(Terminal& terminal) override {
    if (name_.empty() || show_) {
      write_out(name_.empty() ? list_text() : configuration_text(recipe_named(name_)));
      return 0;
    }
    const Recipe& recipe = recipe_named(name_);
    check_files(recipe);
    if (!trained(recipe, terminal)) return 1;
    const Evaluation found = evaluated(recipe);
    terminal.finish();
    write_out(figure_text(recipe, found));
    return 0;
  }

 private:
  std::string in_data(const std::string& file) const { return (std::filesystem::path(data_) / file).string(); }
  std::string in_run(const char* file) const { return (std::filesystem::path(request_.output) / file).string(); }

  void check_files(const Recipe& recipe) const {
    for (const std::string& file : recipe.files)
      if (std::error_code error; !std::filesystem::exists(in_data(file), error))
        throw ConfigError(fmt::format("recipe {}: it needs {}, which is not in {}. Say with --data FOLDER where it is.",
                                      recipe.name, file, data_));
  }
  void set_up(const Recipe& recipe) {
    request_.config = recipe.config;
    request_.config_folder = std::filesystem::absolute(data_).string();
    apply_command_line(request_);
  }
  bool holds(const char* file) const { return std::filesystem::exists(in_run(file)); }
  /// Throws where the run in the folder is not the one that the command asks for. Where its data are is not asked.
  void check_same_run(const Recipe& recipe) const {
    const auto without_places = [](Value config) {
      if (Value* data = config.find("data"))
        for (const char* key : data_path_keys) data->erase(key);
      return config;
    };
    TrainRequest own = request_;
    own.display = nullptr;
    const Value asked = program(precision_of_config(own.config)).assemble(own).config;
    if (holds("config.toml") && without_places(read_toml(in_run("config.toml"))) == without_places(asked)) return;
    throw ConfigError(fmt::format(
        "--output {}: the folder holds another run than that of the recipe '{}', or it with other settings. Name "
        "another folder, or give --set and --seed as that run had them.",
        request_.output, recipe.name));
  }
  bool stacked(const Recipe& recipe, Terminal& terminal) {
    StackFile file = stack_of(recipe.config, recipe.name);
    if (!quiet_) tell_what_machines_set(file, request_, terminal);
    WholeStack stack(std::move(file), shared_configuration(request_.config), request_.output, request_, quiet_);
    stack.check();
    stack.tell_what_is_left_out(terminal);
    return holds("model.h5") || stack.go(terminal);
  }
  /// Makes the run, or goes on with it; false where it was stopped.
  bool trained(const Recipe& recipe, Terminal& terminal) {
    set_up(recipe);
    if (recipe.config.find("machines")) return stacked(recipe, terminal);
    if (holds("config.toml") || holds("model.h5") || holds("stack.toml")) check_same_run(recipe);
    if (holds("model.h5")) return true;
    if (holds("config.toml")) {
      TrainRequest own = request_;
      own.set.clear();  // it has them
      const std::string path = resumed(request_.output, own);
      return run_training(path, own, true, terminal) == 0;
    }
    return train(request_, terminal, true) == 0;
  }
  Evaluation evaluated(const Recipe& recipe) const {
    EvaluateRequest request;
    static_cast<CommonRequest&>(request) = static_cast<const CommonRequest&>(request_);
    request.set = recipe.set;
    request.model = in_run("model.h5");
    request.data = recipe.rows.empty() ? "" : in_data(recipe.rows);
    request.own_data = recipe.rows.empty();
    request.bound_alone = recipe.figure == "variational_bound";
    const Evaluations all = program(precision_of_model(request.model)).evaluate(request);
    return recipe.rows.empty() ? all.splits.front().second : all.whole;
  }

  std::string name_, data_ = ".";
  bool show_ = false;
};

}  // namespace

std::unique_ptr<Command> recipe_command() { return std::make_unique<RecipeCommand>(); }

}  // namespace v1
}  // namespace harmonium
