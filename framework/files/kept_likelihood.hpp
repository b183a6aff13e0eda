#pragma once

namespace harmonium {
inline namespace v1 {

/// The file, in the folder of a run, of likelihoods of its last model that were computed after its end.
inline constexpr const char* kept_likelihood_file = "likelihood.toml";

}  // namespace v1
}  // namespace harmonium
