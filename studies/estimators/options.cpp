// What harmonium study estimators studies: its options, its machines and its estimators.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/studies/study_lists.hpp>
#include <harmonium/studies/estimators/options.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

Value whole(std::uint64_t n) { return make_value(static_cast<std::int64_t>(n)); }

template <class... T>
Value list_of(T... values) {
  Value list;
  list.data = Value::List{make_value(values)...};
  return list;
}

}  // namespace

const std::vector<std::string>& EstimatorStudyOptions::known_estimators() {
  static const std::vector<std::string> names{"cd",
                                              "pcd",
                                              "tempered_pcd",
                                              "fast_weights_pcd",
                                              "naive_mcmc",
                                              "unbiased_cd",
                                              "pseudo_likelihood",
                                              "ratio_matching",
                                              "minimum_probability_flow",
                                              "score_matching",
                                              "denoising_score_matching",
                                              "noise_contrastive",
                                              "reconstruction_error"};
  return names;
}

void EstimatorStudyOptions::bind(OptionBinder& o) {
  static constexpr OptionBinder::Choice<StudiedUnits> kinds[] = {{"binary", StudiedUnits::binary},
                                                                 {"gaussian", StudiedUnits::gaussian}};
  o.option("estimators", estimators,
           fmt::format("what is compared, each with its defaults; empty: those of {} that serve the machine",
                       fmt::join(known_estimators(), ", ")));
  o.option("gibbs_steps", gibbs_steps, "k of the estimators that have one: whole numbers from 1");
  o.option("data_set", data_set, "diagonal or one_d_ball");
  o.option("size", size, "d, the number of visible units", within(3, 11));
  o.option("num_hidden", num_hidden, "binary hidden units; 0: as many as visible ones", within(0, 12));
  o.choice("visible_units", visible_units, kinds,
           "what the visible units are: Gaussian ones take the 0 and 1 of the data as numbers");
  o.option("deviation", deviation,
           "standard deviation of Gaussian visible units given the hidden ones; 0.4 where not given",
           within(0.01, 100));
  o.option("learning_rate", learning_rate, "of the exact gradient, which trains the machines", more_than(0));
  o.option("updates", updates, "after how many the estimators are compared: whole numbers from 1");
  o.option("num_seeds", num_seeds, "machines", within(1, most_seeds));
  o.option("seed", seed, "seed of the first machine; the others follow", at_least(0));
  o.option("repeats", repeats, "estimates of each kind, in 20 batches", at_least(40));
  o.option("warm_up", warm_up, "estimates before these, for chains that persist", at_least(0));
  o.option("budget", budget, "what is given to each: as much as so many estimates of CD-1 cost", at_least(1));
}

void EstimatorStudyOptions::validate() const {
  refuse_last_seed(seed, num_seeds);
  refuse_empty(gibbs_steps.size(), "gibbs_steps");
  refuse_empty(updates.size(), "updates");
  refuse_fractions(gibbs_steps, "gibbs_steps", 1, 1e7);
  refuse_fractions(updates, "updates", 1, 1e7);
  refuse_twice(estimators, "estimators");
  refuse_twice(gibbs_steps, "gibbs_steps");
  refuse_twice(updates, "updates");
  if (data_set != "diagonal" && data_set != "one_d_ball")
    throw ConfigError(fmt::format("'data_set' is '{}'{}. Known: diagonal, one_d_ball.", data_set,
                                  did_you_mean(data_set, {"diagonal", "one_d_ball"})));
  if (deviation && !gaussian())
    throw ConfigError(
        "'deviation' is that of Gaussian units, and the visible units are binary. Leave it out, or set visible_units = "
        "\"gaussian\".");
}

Value machine_config(const EstimatorStudyOptions& options, std::uint64_t seed) {
  const Value d = whole(options.size);
  const Index rows = options.data_set == "diagonal" ? options.size + 1 : 2 * options.size * ((options.size - 1) / 2);
  const auto most = static_cast<std::uint64_t>(*std::ranges::max_element(options.updates));
  // What every run measures where it can, this one does not wait for.
  Value observers = list_of();
  for (const char* name : {"log_likelihood", "reconstruction_error", "pseudo_likelihood"})
    if (!options.gaussian() || name != std::string_view("pseudo_likelihood"))
      std::get<Value::List>(observers.data).push_back(make_table({{"type", make_value(name)}, {"every", whole(most)}}));
  return make_table(
      {{"seed", whole(seed)},
       {"precision", make_value("float64")},
       {"data", make_table({{"type", make_value(options.data_set)}, {"size", d}})},
       {"model", make_table({{"type", make_value("rbm")},
                             {"num_visible", d},
                             {"num_hidden", options.num_hidden > 0 ? whole(options.num_hidden) : d},
                             {"visible_units", make_value(options.units())}})},
       {"initializer", make_table({{"type", make_value("uniform")},
                                   {"limit", make_value(1.0 / static_cast<double>(options.size))},
                                   {"visible_bias", make_value("zero")}})},
       {"estimator", make_table({{"type", make_value("exact")}})},
       {"optimizer", make_table({{"type", make_value("sgd")}, {"learning_rate", make_value(options.learning_rate)}})},
       {"training", make_table({{"batch_size", whole(rows)}, {"num_updates", whole(most)}})},
       {"observers", std::move(observers)}});
}

std::vector<StudiedEstimator> studied(const std::string& name, const EstimatorStudyOptions& options,
                                      const Registries& registries) {
  Value spec = make_table({{"type", make_value(name)}});
  if (name == "tempered_pcd") {  // one ladder for all, so that none is still adapting itself
    spec.set("betas", list_of(1.0, 0.8, 0.6, 0.4, 0.2, 0.0));
    if (options.gaussian()) spec.set("base", make_value("biases"));
  }
  const auto& entries = registries.of<GradientEstimator>().entries();
  const auto entry = entries.find(name);
  const bool steps = entry != entries.end() &&
                     std::ranges::any_of(entry->second.describe(),
                                         [](const OptionInfo& option) { return option.name == "gibbs_steps"; });
  if (!steps) return {{name, 0, std::move(spec)}};
  std::vector<StudiedEstimator> all;
  for (const double k : options.gibbs_steps) {
    spec.set("gibbs_steps", whole(static_cast<std::uint64_t>(k)));
    all.push_back({name, static_cast<Index>(k), spec});
  }
  return all;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
