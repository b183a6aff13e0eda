#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <harmonium/framework/pictures/logged_curves.hpp>

namespace harmonium {
inline namespace v1 {

/// How a machine above the first was trained.
struct MachineAbove {
  std::size_t number = 0;                 ///< from 1, that of the data
  std::optional<LoggedCurve> curve = {};  ///< the figure to go by; nothing where it measured none
};

/// The log likelihood of a run's training rows, or their pseudo log likelihood, of which a trend is known: what is learned by heart
/// is another matter.
std::optional<LoggedCurve> curve_of_run(const std::filesystem::path& folder);

/// What to change in the training of machines that lower the likelihood, by where their figures went: longer where one still rises,
/// smaller steps where it falls or wobbles, more chains where it rests. Empty where no figure tells.
std::string advice_on_machines(const std::vector<MachineAbove>& machines);

}  // namespace v1
}  // namespace harmonium
