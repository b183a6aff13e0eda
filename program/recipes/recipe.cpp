#include <harmonium/program/recipes/recipe.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <harmonium/framework/config/nearest_name.hpp>
#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

Recipe read_recipe(std::string_view name, std::string_view text) {
  const std::string place = fmt::format("recipes/{}.toml", name);
  Recipe recipe;
  recipe.name = name;
  recipe.text = text;
  recipe.config = parse_toml(text, place);
  const Value* own = recipe.config.find("recipe");
  if (!own) throw ConfigError(place + ": there is no table [recipe]. Say what the run is to reach.");
  read_options(*own, "recipe", recipe);
  recipe.config.erase("recipe");
  return recipe;
}

}  // namespace

void Recipe::bind(OptionBinder& o) {
  o.option("about", about, "what is made, in a sentence");
  o.option("figure", figure, "of 'harmonium evaluate': log_likelihood or variational_bound");
  o.option("rows", rows, "the file of the rows that the figure is of; empty: the training rows");
  o.option("set", set, "settings of the evaluation, KEY=VALUE");
  o.option("published", published, "the figure that a paper has, or the best there can be", finite());
  o.option("source", source, "who says so, and how it was found there");
  o.option("reached", reached, "the figure that this configuration reaches, or both ends of its interval");
  o.option("time", time, "that it takes, and on what");
  o.option("files", files, "of data, looked for in the folder of --data");
}

void Recipe::validate() const {
  if (figure != "log_likelihood" && figure != "variational_bound")
    throw ConfigError(fmt::format("'figure' is '{}'. It can be log_likelihood or variational_bound.", figure));
  if (reached.empty() || reached.size() > 2)
    throw ConfigError("'reached' takes a number, or the two ends of an interval. Measure it.");
  for (const auto& [key, words] : {std::pair{"about", &about}, {"source", &source}, {"time", &time}})
    if (words->empty()) throw ConfigError(fmt::format("'{}' is empty. Say it.", key));
}

const std::vector<Recipe>& recipes() {
  static const std::vector<Recipe> all = [] {
    std::vector<Recipe> read;
    for (const auto& [name, text] : recipe_files()) read.push_back(read_recipe(name, text));
    return read;
  }();
  return all;
}

const Recipe& recipe_named(std::string_view name) {
  std::vector<std::string> names;
  for (const Recipe& recipe : recipes()) {
    if (recipe.name == name) return recipe;
    names.push_back(recipe.name);
  }
  throw ConfigError(
      fmt::format("there is no recipe '{}'{}. 'harmonium recipe' lists them.", name, did_you_mean(name, names)));
}

}  // namespace v1
}  // namespace harmonium
