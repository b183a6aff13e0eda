#include <harmonium/program/work/observed_clamp.hpp>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/program/work/clamp.hpp>
#include <harmonium/program/work/clamp_words.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

[[noreturn]] void refuse_many_laws(const std::string& clamp) {
  throw ConfigError(
      fmt::format("--clamp {}: averages are of one law, given units that are held in one state. Write LAYER=VALUE, "
                  "LAYER[UNIT]=VALUE, LAYER[BEGIN:END]=VALUE or COLUMN=VALUE.",
                  clamp));
}

}  // namespace

std::optional<HeldState> observed_clamp(const ObserveRequest& request, const ModelHeader& header,
                                        const Layout& layout) {
  if (request.clamp.empty()) return {};
  const std::vector<ClampEntry> entries = clamp_in_units(request.clamp, header, layout);
  for (const std::string& text : request.clamp)
    if (!file_of_clamp(text).empty()) refuse_many_laws(text);
  const DataUnits units = data_units_of(request.model, header, layout);
  const Clamp clamp(entries, layout, &units, {});
  if (clamp.states() > 0) refuse_many_laws("LAYER=each");
  HeldState held{Chains(layout, 1), clamp.mask(0, 1, 1)};
  clamp.write(held.state, 0, 1);
  return held;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
