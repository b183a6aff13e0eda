#pragma once

#include <string>
#include <vector>

#include <harmonium/program/seed_means.hpp>

namespace harmonium {
inline namespace v1 {

/// "-12.34* ± 0.05, rows ± 1.2 at 165", the mark where log Z is an estimate in any of the runs, with "(1 of 2 seeds)" where not all that
/// finished have it; a mean of one run has no error from seeds. "not agreed" or "-" of none.
std::string seed_mean_words(const SeedMean& mean);
/// "error over the data rows of one run, which all seeds share", or that each seed sets its own aside.
std::string words_on_rows_error(const SeedMeans& means);
/// "*: by an estimate of log Z, ...", a sentence, of the figures at `places`; empty where none has the mark.
std::string words_on_estimates(const SeedMeans& means, const std::vector<std::size_t>& places);
std::string words_on_estimates(const SeedMeans& means);
/// "Standard errors from few seeds are hardly known themselves: ...", a sentence, where one at `places` is of two or three; else empty.
std::string words_on_few_seeds(const SeedMeans& means, const std::vector<std::size_t>& places);
std::string words_on_few_seeds(const SeedMeans& means);

/// A table, with settings by number where their names have no room, and which of them is the best, or why none is. `chosen`: the figures
/// that are told; empty: all, but for norms where settings go by number. `sorted`: the figure that they are sorted by, which tells the
/// best, too; empty: none.
std::string seed_means_text(const SeedMeans& means, const std::string& sorted = "",
                            const std::vector<std::string>& chosen = {});
std::string seed_means_json(const SeedMeans& means, const std::string& sorted = "",
                            const std::vector<std::string>& chosen = {});

}  // namespace v1
}  // namespace harmonium
