#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/model/energy_model.hpp>
#include <harmonium/framework/run/whole_data.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What never happens in rows, in words.
struct UnseenStates {
  /// Of units of finitely many states with a bias of their own: those that are the same in every row, and states that none has. The likelihood,
  /// and the pseudo-likelihood too, rise for ever as such a bias grows.
  std::vector<std::string> units;
  std::vector<std::string> constant;  ///< other columns that are the same in every row
  /// States of two units of two states each, or of one-hot columns, that are coupled and never come together: of these couplings the
  /// same holds. Not where either state is among `units`.
  std::vector<std::string> pairs;
};

/// `data_names`: of the observed columns; none: they are called as the units are. Of `rows`, complete ones.
UnseenStates unseen_states(const EnergyModel& model, const Chains& rows, const std::vector<std::string>& data_names);

/// "a, b, c and 4 more"
std::string named_briefly(const std::vector<std::string>& words);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
