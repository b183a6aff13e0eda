#include <harmonium/framework/pictures/figure_kinds.hpp>

#include <cstddef>
#include <iterator>

namespace harmonium {
inline namespace v1 {
namespace {

struct Known {
  std::string_view name;  ///< one that ends with '.' begins the names of several
  const char *title, *unit;
  bool more_is_better = false;
};

/// In the order of interest. A unit is the label of an axis, and no longer than a panel of curves is high.
constexpr Known known_figures[] = {
    {"log_likelihood", "log likelihood", "nats a row", true},
    {"label_log_likelihood", "log likelihood of labels", "nats a row", true},
    {"accuracy", "accuracy", "share of rows", true},
    {"pseudo_log_likelihood", "pseudo log likelihood", "nats a row", true},
    {"posterior_bound", "bound of the positive phase", "nats a row", true},
    {"loss", "loss of the estimator", ""},
    {"reconstruction_error", "reconstruction error", "mean square"},
    {"free_energy_gap", "free energy gap", "nats a row"},
    {"mixing.mixed", "do chains mix", "1: yes, 0: no"},
    {"mixing.autocorrelation_time", "autocorrelation time", "steps"},
    {"norm.", "norms of the parameters", "Euclidean length"},
    {"gradient_norm", "norm of the gradient", "Euclidean length"},
    {"log_z", "log Z", "nats"},
    {"swap_rate.", "exchanges of temperatures", "share accepted"},
    {"round_trips", "round trips", "an epoch"},
    {"acceptance", "acceptance", "share accepted"},
    {"acceptance.", "acceptance", "share accepted"},
    {"meeting_time.", "meeting times", "transitions"},
    {"moments.means", "moments of draws and data", "correlation"},
    {"moments.correlations", "moments of draws and data", "correlation"},
    {"mixing.r_hat", "R-hat", ""},
    {"mixing.effective_samples", "effective samples", ""},
    {"mixing.singular_value", "largest singular value", ""},
    {"mean_field_iterations", "iterations of mean field", "at most"},
};

/// Takes a beginning away where it is there.
bool take(std::string_view& name, std::string_view begin) {
  if (!name.starts_with(begin) || name.size() == begin.size()) return false;
  name.remove_prefix(begin.size());
  return true;
}

std::string joined(std::string_view one, std::string_view other) {
  return std::string(one) + (one.empty() || other.empty() ? "" : ", ") + std::string(other);
}

}  // namespace

std::vector<std::string> known_figure_names() {
  std::vector<std::string> names;
  for (const Known& k : known_figures) names.push_back(std::string(k.name) + (k.name.ends_with('.') ? "NAME" : ""));
  return names;
}

FigureKind figure_kind(std::string_view name) {
  const std::string_view whole = name;
  const bool of_best = take(name, "best.");
  const std::string part = joined(of_best ? "best model" : "", take(name, "validation_") ? "validation"
                                                               : take(name, "test_")     ? "test"
                                                                                         : "");
  for (const Known& k : known_figures) {
    const auto rank = static_cast<int>(&k - std::begin(known_figures));
    std::string_view rest = name;
    if (name == k.name) {
      const bool of_several = k.name.starts_with("moments.");
      const std::string_view member = of_several ? name.substr(8) : name == "acceptance" ? "negative" : "";
      return {k.title, k.unit, joined(member, part), rank, k.more_is_better};
    }
    if (k.name.ends_with('.') && take(rest, k.name))
      return {k.title, k.unit, joined(rest, part), rank, k.more_is_better};
  }
  return {std::string(whole), "", "", static_cast<int>(std::size(known_figures)), false};
}

}  // namespace v1
}  // namespace harmonium
