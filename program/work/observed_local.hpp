#pragma once

#include <optional>
#include <string>

#include <harmonium/framework/core/memory_need.hpp>
#include <harmonium/framework/inference/local_averages.hpp>
#include <harmonium/program/work/observation.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What --local and --frequencies ask for; nothing where they were not given. `what` must outlive it. Throws ConfigError for other
/// words than "coupled" and "all", for all pairs of more than 2,000 units, and for frequencies of units that are no sites of several
/// states or of more than 4,000,000 lines at so many temperatures, before their memory is taken.
std::optional<LocalObservables> observed_local(const ObserveRequest& request, const LayerObservables& what,
                                               const std::string& layer, Index temperatures);

/// What is told of them takes at so many temperatures: pairs, averages and the text of the tables.
void add_told(const LocalObservables& local, Index temperatures, MemoryNeed& need);

/// The option that makes it less: of pairs that couple there are no fewer.
const char* lowered_by(const LocalObservables& local);

ObservedLocally figures_of(const LocalAverages& found, const LocalObservables& local);

/// What was asked, for the tables.
void tell_of_local(const std::string& words, const std::optional<SiteGrid>& grid, Observation& found);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
