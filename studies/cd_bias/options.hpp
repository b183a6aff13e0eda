#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The protocol of the study of contrastive divergence's bias; the defaults are those of Bengio & Delalleau (2009),
/// section 4.
struct CdBiasOptions {
  std::vector<std::string> data_sets = {"diagonal", "one_d_ball"};
  std::vector<double> sizes = {6, 7, 8, 9, 10};
  Index num_seeds = 5;
  std::uint64_t seed = 1;
  Index num_hidden = 0;
  double initial_limit = 0.0;
  double learning_rate = 1e-3;
  Index gibbs_steps = 1;
  double tolerance = 0.05;
  Index check_every = 1000;
  Index max_updates = 20'000'000;
  Index most_steps = 10;
  Index trace_every = 20'000;
  Index fixed_updates = 300'000;

  void bind(OptionBinder& o);
  void validate() const;
};

/// One run of the study.
struct CdBiasCell {
  std::string data_set;  ///< "diagonal" or "one_d_ball"
  Index size = 0;        ///< d
  std::uint64_t seed = 0;

  std::string name() const;  ///< "diagonal_6_1"
};

/// The runs of a study, by data set, size and seed.
std::vector<CdBiasCell> cells_of(const CdBiasOptions& options);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
