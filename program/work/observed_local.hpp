#pragma once

#include <optional>
#include <string>

#include <harmonium/framework/core/memory_need.hpp>
#include <harmonium/framework/inference/local_averages.hpp>
#include <harmonium/program/work/observation.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What --local asks for, "coupled" or "all"; nothing where it was not given. `what` must outlive it. Throws ConfigError for other
/// words, and for all pairs of more than 2,000 units, before their memory is taken.
std::optional<LocalObservables> observed_local(const std::string& words, const LayerObservables& what,
                                               const std::string& layer);

/// What is told of them takes at so many temperatures: pairs, averages and the text of the tables.
void add_told(const LocalObservables& local, Index temperatures, MemoryNeed& need);

/// The option that makes it less: of pairs that couple there are no fewer.
const char* lowered_by(const LocalObservables& local);

ObservedLocally figures_of(const LocalAverages& found, const LocalObservables& local);

/// What was asked, for the tables.
void tell_of_local(const std::string& words, const std::optional<SiteGrid>& grid, Observation& found);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
