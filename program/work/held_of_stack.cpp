#include <harmonium/program/work/held_of_stack.hpp>

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/stacked_machines.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void refuse_held_of_stack(const EnergyModel& model, const std::string& path) {
  if (!stacked_machines(model)) return;
  const std::filesystem::path first = std::filesystem::path(path).parent_path() / "machine1";
  std::error_code none;
  const bool beside = std::filesystem::exists(first / "model.h5", none);
  throw CapabilityError(
      fmt::format("--clamp: of a stack nothing can be held, by any sampler. Draw many rows and keep those that fit, or "
                  "sample {}, the first machine alone.",
                  beside ? first.string() : "DIR/machine1 of the stack's folder"));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
