#include <harmonium/studies/cd_bias/options.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/studies/study_lists.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void CdBiasOptions::bind(OptionBinder& o) {
  o.option("data_sets", data_sets, "which of diagonal and one_d_ball");
  o.option("sizes", sizes, "d, the number of visible units: whole numbers from 3 to 11");
  o.option("num_seeds", num_seeds, "runs of each data set and size", within(1, most_seeds));
  o.option("seed", seed, "seed of the first run; the others follow", at_least(0));
  o.option("num_hidden", num_hidden, "hidden units; 0: as many as visible ones", within(0, 12));
  o.option("initial_limit", initial_limit, "weights start uniform between plus and minus this, biases at 0; 0: 1/d",
           at_least(0));
  o.option("learning_rate", learning_rate, "of weights and biases", more_than(0));
  o.option("gibbs_steps", gibbs_steps, "k of the CD-k that the machines are trained by, a row an update", at_least(1));
  o.option("tolerance", tolerance,
           "training ends where the mean of -log P over the rows exceeds its lower bound log N by this part of it",
           more_than(0));
  o.option("check_every", check_every, "updates between two looks at the exact likelihood", at_least(1));
  o.option("max_updates", max_updates, "a run that is not there by then has failed", at_least(1));
  o.option("most_steps", most_steps, "the bias of CD-k is taken for k = 1 up to this", within(1, 1000));
  o.option("trace_every", trace_every, "updates between two lines of trace.csv; 0: none", at_least(0));
  o.option("fixed_updates", fixed_updates, "updates after which the bias is taken for fixed_updates.csv; 0: never",
           at_least(0));
}

void CdBiasOptions::validate() const {
  refuse_last_seed(seed, num_seeds);
  refuse_empty(sizes.size(), "sizes");
  refuse_empty(data_sets.size(), "data_sets");
  const std::vector<std::string> known = {"diagonal", "one_d_ball"};
  for (const std::string& name : data_sets)
    if (std::ranges::find(known, name) == known.end())
      throw ConfigError(
          fmt::format("'data_sets' holds '{}'{}. Known: diagonal, one_d_ball.", name, did_you_mean(name, known)));
  refuse_fractions(sizes, "sizes", 3, 11, " (2^d states are enumerated)");
  refuse_twice(data_sets, "data_sets");
  refuse_twice(sizes, "sizes");
  if (fixed_updates > max_updates)
    throw ConfigError(fmt::format("'fixed_updates' is {}, which no run reaches with 'max_updates' {}. Raise that.",
                                  fixed_updates, max_updates));
}

std::string CdBiasCell::name() const { return fmt::format("{}_{}_{}", data_set, size, seed); }

std::vector<CdBiasCell> cells_of(const CdBiasOptions& options) {
  std::vector<CdBiasCell> cells;
  for (const std::string& data_set : options.data_sets)
    for (const double d : options.sizes)
      for (Index s = 0; s < options.num_seeds; ++s)
        cells.push_back({data_set, static_cast<Index>(d), options.seed + s});
  return cells;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
