#pragma once

#include <cstdint>
#include <vector>

#include <harmonium/framework/inference/sampler.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What exchanges along a ladder have come to so far.
struct ExchangeTally {
  enum End : std::uint8_t { neither, target_end, far_end };

  std::vector<double> rejected;        ///< summed probabilities of rejection, each pair of neighbors
  std::vector<std::uint64_t> tries;    ///< each pair of neighbors
  std::vector<std::uint8_t> last_end;  ///< of each row: at which end of the ladder it was last
  std::vector<std::uint64_t> trips;    ///< round trips of each chain, where `count_trips` asked for them

  explicit ExchangeTally(Index rungs) : rejected(rungs - 1, 0.0), tries(rungs - 1, 0) {}
  /// Rows that have made no part of a round trip yet.
  void follow(const Chains& chains);
  /// Counts the round trips of each of so many chains from now on.
  void count_trips(Index chains) { trips.assign(chains, 0); }
  /// Of the chain that has made the fewest: each chain must have forgotten where it was, and not all of them on average.
  std::uint64_t least_trips() const;
  /// Whether every pair was tried.
  bool complete() const;
  /// Mean rejection of each pair; forgets the counts, not the ends.
  std::vector<double> take_rejections();
};

/// What a Sampler derives from besides that counts the round trips of rows. Rows that begin anew and go on counting transitions look
/// to it like those that it moved last.
class CountsRoundTrips {
 public:
  virtual ~CountsRoundTrips();
  /// The rows of the next call have made no part of a round trip yet.
  virtual void begin_anew() = 0;
};

/// A report on the rungs `betas` with nothing proposed yet.
LadderReport empty_report(std::vector<double> betas);

/// The rows from `first` on of one logical chain, by rung. Throws CapabilityError, naming `who`, where they are not at each rung
/// once.
std::vector<Index> rows_by_rung(const Chains& chains, Index first, Index rungs, std::string_view who);

/// Whether rungs k and k + 1 exchange their rows, by a uniform number strictly between 0 and 1; it is counted.
bool take_exchange(double log_ratio, double uniform, Index k, ExchangeTally& tally, LadderReport& report);
/// Counts where two rows of a chain are after a round of exchanges, and the round trip that one may have ended.
void count_ends(Index chain, Index at_target, Index at_far_end, ExchangeTally& tally, LadderReport& report);

/// A round of exchanges of parallel tempering (Swendsen & Wang 1986): a logical chain has a row at each rung of the target's
/// ladder, and neighbors a at rung i, b at rung j exchange their rungs with probability
///   min(1, exp[(β_i − β_j)(D(x_a) − D(x_b))]),   D = E − E₀.
/// Even and odd pairs take turns with `round` (Okabe et al. 2001). `difference` is D of each row. Throws CapabilityError, naming `who`,
/// where the rows of a chain are not at each rung once.
void exchange_neighbors(const Target& target, std::span<const double> difference, Chains& chains, std::uint64_t round,
                        const Execution& execution, ExchangeTally& tally, LadderReport& report, std::string_view who);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
