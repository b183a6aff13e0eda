#include <harmonium/framework/config/nearest_name.hpp>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/config/number_of_units.hpp>
#include <harmonium/framework/config/own_name.hpp>

namespace harmonium {
inline namespace v1 {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // The last three rows of the table: a transposition looks two back.
  std::vector<std::size_t> before, last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      row[j + 1] = std::min({last[j] + (a[i] == b[j] ? 0 : 1), row[j] + 1, last[j + 1] + 1});
      if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j]) row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
    }
    before = last;
    last = row;
  }
  return last[b.size()];
}

namespace {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

}  // namespace

std::string_view own_name(std::string_view word) {
  constexpr std::pair<std::string_view, std::string_view> names[] = {{"lr", "learning_rate"},
                                                                     {"eta", "learning_rate"},
                                                                     {"epochs", "num_epochs"},
                                                                     {"n_epochs", "num_epochs"},
                                                                     {"n_iter", "num_epochs"},
                                                                     {"batch", "batch_size"},
                                                                     {"k", "gibbs_steps"},
                                                                     {"cd_steps", "gibbs_steps"},
                                                                     {"n_hidden", "num_hidden"},
                                                                     {"n_components", "num_hidden"},
                                                                     {"hidden", "num_hidden"},
                                                                     {"potts", "categorical"},
                                                                     {"softmax", "categorical"},
                                                                     {"ising", "spin"},
                                                                     {"bernoulli", "binary"},
                                                                     {"random_state", "seed"},
                                                                     {"num_rows", "rows"},
                                                                     {"max_rows", "rows"},
                                                                     {"n_samples", "rows"},
                                                                     {"num_samples", "rows"},
                                                                     {"limit", "rows"},
                                                                     {"train_size", "rows"},
                                                                     {"contrastive_divergence", "cd"},
                                                                     {"patience", "stop_early"},
                                                                     {"early_stopping", "stop_early"},
                                                                     {"tied", "uniform"},
                                                                     {"dbm", "deep"},
                                                                     {"deep_boltzmann_machine", "deep"},
                                                                     {"dbn", "stack"},
                                                                     {"deep_belief_network", "stack"}};
  for (const auto& [other, own] : names)
    if (word == other) return own;
  return word;
}

namespace {

/// The one name of which the word is a part between underscores, such as elimination of variable_elimination.
std::string name_with_part(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t shortest = 4;
  std::string found;
  if (word.size() < shortest) return found;
  for (const std::string& name : known) {
    if (fmt::format("_{}_", name).find(fmt::format("_{}_", word)) == std::string::npos) continue;
    if (!found.empty()) return "";
    found = name;
  }
  return found;
}

/// Without a number at its end, as in cd-1 and pcd10; empty where there is none.
std::string without_number(std::string_view word) {
  const std::size_t end = word.find_last_not_of("0123456789");
  if (end == std::string_view::npos || end + 1 == word.size()) return "";
  const std::size_t last = word.find_last_not_of("-_ ", end);
  return last == std::string_view::npos ? "" : lower_case(word.substr(0, last + 1));
}

}  // namespace

std::string nearest_name(std::string_view word, const std::vector<std::string>& known) {
  if (const auto own = std::ranges::find(known, own_name(word)); own != known.end()) return *own;
  std::size_t allowed = std::clamp<std::size_t>(word.size() / 3, 1, 2);
  std::string nearest;
  for (const std::string& name : known) {
    if (std::max(word.size(), name.size()) - std::min(word.size(), name.size()) > allowed) continue;  // at least as far
    const std::size_t distance = edit_distance(lower_case(word), lower_case(name));
    if (distance > allowed || (distance == allowed && !nearest.empty())) continue;
    nearest = name;
    allowed = distance;
  }
  if (!nearest.empty()) return nearest;
  if (std::ranges::find(known, without_number(word)) != known.end()) return without_number(word);
  return name_with_part(word, known);
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  const std::string nearest = nearest_name(word, known);
  return nearest.empty() ? "" : fmt::format(" (did you mean '{}'?)", nearest);
}

std::string kept_elsewhere(std::string_view word) {
  constexpr std::pair<std::string_view, std::string_view> penalties[] = {{"weight_decay", "l2"}, {"weight_cost", "l2"},
                                                                         {"l2", "l2"},           {"l2_penalty", "l2"},
                                                                         {"l1", "l1"},           {"l1_penalty", "l1"}};
  for (const auto& [other, own] : penalties)
    if (word == other)
      return fmt::format(" (penalties stand by themselves: regularizers = [{{ type = \"{}\" }}])", own);
  if (word == "precision")
    return " (Gaussian units begin with initializer.precision; float32 or float64 stands at the top of the file)";
  if (word == "J" || word == "coupling" || word == "couplings" || word == "weight" || word == "weights")
    return " (couplings begin at initializer.mean, in a normal law of standard deviation initializer.std)";
  if (word == "num_states")
    return " (units of several states say how many: { type = \"categorical\", num_states = 3 }; data have them from 0)";
  if (word == "uniform")
    return " (a coupling that edges share is an option of the term 'lattice', and a bias that units share of the term "
           "'bias', in a model of type 'layered')";
  if (word == "layers" || word == "terms") return " (they are options of the model 'layered')";
  if (word.find("bias") != std::string_view::npos)
    return " (a layer has no biases where it says bias = false, in a model of type 'layered'; what biases begin with, "
           "the "
           "initializer says)";
  return "";
}

std::string number_of_units(std::string_view option) {
  constexpr std::string_view units = "_units";
  if (option != "units" && !option.ends_with(units)) return "";
  const std::string number =
      option == "units" ? "size" : fmt::format("num_{}", option.substr(0, option.size() - units.size()));
  return fmt::format(" How many there are says '{}'.", number);
}

}  // namespace v1
}  // namespace harmonium
