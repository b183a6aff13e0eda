#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/execution/display.hpp>
#include <harmonium/framework/plugin/registries.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The sampler that the table `spec` describes, where the first row is taken after transition `first`. One that would still adapt
/// itself then, and was not told for how long (adapt_steps), does so for half of them, 50 at least, and `display`, where there is
/// one, is told. What still adapts itself too long is for check_adapted to refuse. `where` says what `first` goes by ("--steps 200").
/// `effective` receives every default. Throws as Registries::make does.
inline std::unique_ptr<Sampler> sampler_adapting_before(std::uint64_t first, const std::string& where,
                                                        const Value& spec, const Registries& registries,
                                                        Value& effective, Display* display) {
  constexpr std::uint64_t least = 50;
  std::unique_ptr<Sampler> usual = registries.make<Sampler>(spec, effective);
  const Index adapting = usual->adaptation_steps();
  const std::uint64_t half = std::max(first / 2, least);
  if (first > adapting || half >= adapting || spec.find("adapt_steps")) return usual;
  Value asked = spec, own;
  asked.set("adapt_steps", make_value(static_cast<std::int64_t>(half)));
  std::unique_ptr<Sampler> sampler;
  try {
    sampler = registries.make<Sampler>(asked, own);
  } catch (const ConfigError&) {  // what adapts itself is within it, or has another option
    return usual;
  }
  effective = std::move(own);
  if (display && first > sampler->adaptation_steps())
    display->warn(
        fmt::format("{}: sampler '{}' adapts itself during the first {} transitions, in place of {}, so that those "
                    "behind them follow its law (sampler.adapt_steps).",
                    where, std::get<std::string>(effective.find("type")->data), half, adapting));
  return sampler;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
