#include <harmonium/program/work/given_start.hpp>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/program/work/clamp_words.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// The words of a Clamp, of this option.
std::string of_start(std::string text) {
  constexpr std::string_view clamp = "--clamp";
  for (std::size_t at = text.find(clamp); at != std::string::npos; at = text.find(clamp, at))
    text.replace(at, clamp.size(), "--start");
  return text;
}

/// Adds 1 for the units of a layer that the mask has, in each row.
void add_units(const HeldMask& mask, LayerId layer, Index rows, std::vector<std::uint8_t>& units) {
  if (mask.holds(layer)) std::ranges::fill(units, std::uint8_t{1});
  const auto some = mask.units(layer, 0, rows);
  for (Index r = 0; !some.empty() && r < rows; ++r)
    for (Index u = 0; u < some.cols; ++u) units[r * some.cols + u] |= some(r, u);
}

}  // namespace

GivenStart::GivenStart(const std::vector<std::string>& texts, const ModelHeader& header, const Layout& layout,
                       const DataUnits& units, const Clamp::Reader& reader, Index num_chains)
    : layout_(&layout) {
  try {
    named_.emplace(clamp_in_units(texts, header, layout), layout, &units, reader);
  } catch (const ConfigError& error) {
    throw ConfigError(of_start(error.what()));
  } catch (const DataError& error) {
    throw DataError(of_start(error.what()));
  }
  const Index rows = named_->period();
  if (rows != 1 && rows != num_chains)
    throw ConfigError(fmt::format("--start: the file has {} rows, and there {}. Give one row for all, or one for each.",
                                  rows, num_chains == 1 ? "is 1 chain" : fmt::format("are {} chains", num_chains)));
}

void GivenStart::check(const Sampler& sampler, Target target) const {
  const Index rungs = sampler.rungs();
  const std::optional<HeldMask> held = given(0, 1, rungs, nullptr);
  if (!held) return;
  target.held = &*held;
  try {
    sampler.check(target);
  } catch (const CapabilityError& error) {
    throw CapabilityError(fmt::format("--start: latent units begin at a draw given the others. {}", error.what()));
  }
}

void GivenStart::write(Chains& chains, Index first, Index rungs) const { named_->write(chains, first, rungs); }

std::optional<HeldMask> GivenStart::given(Index first, Index count, Index rungs, const HeldMask* held) const {
  const HeldMask named = named_->mask(first, count, rungs);
  const Index rows = count * rungs;
  HeldMask all;
  bool any_free = false;
  for (const LayerId l : layout_->ids()) {
    const Layer& layer = (*layout_)[l];
    std::vector<std::uint8_t> units(rows * layer.size, layer.role == Role::latent ? 0 : 1);
    add_units(named, l, rows, units);
    if (held) add_units(*held, l, rows, units);
    const bool whole = std::ranges::all_of(units, [](std::uint8_t u) { return u != 0; });
    any_free |= !whole;
    if (whole) all.hold(l);
    else if (std::ranges::any_of(units, [](std::uint8_t u) { return u != 0; }))
      all.hold_units(l, layer.size, std::move(units));
  }
  return any_free ? std::optional(std::move(all)) : std::nullopt;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
