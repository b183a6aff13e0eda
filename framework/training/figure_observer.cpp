#include <harmonium/framework/training/figure_observer.hpp>

#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Of those figures that are not due at each epoch unless that is asked for.
std::string observer_of(std::string_view figure) {
  for (const std::string_view part : {"validation_", "test_"})
    if (figure.starts_with(part)) figure.remove_prefix(part.size());
  if (figure.starts_with("mixing.") || figure.starts_with("moments.")) return "mixing";
  constexpr std::pair<std::string_view, const char*> observers[] = {{"log_likelihood", "log_likelihood"},
                                                                    {"log_z", "log_likelihood"},
                                                                    {"pseudo_log_likelihood", "pseudo_likelihood"},
                                                                    {"reconstruction_error", "reconstruction_error"},
                                                                    {"accuracy", "classification"},
                                                                    {"label_log_likelihood", "classification"},
                                                                    {"free_energy_gap", "free_energy_gap"}};
  for (const auto& [name, observer] : observers)
    if (figure == name) return observer;
  return "NAME";
}

}  // namespace

std::string setting_of_every(const std::string& figure, std::uint64_t every) {
  return fmt::format("--set 'observers=[{{type=\"{}\",every={}}}]'", observer_of(figure), every);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
