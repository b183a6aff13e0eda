#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/core/memory_need.hpp>
#include <harmonium/framework/inference/posterior.hpp>
#include <harmonium/framework/inference/sampler.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// A minibatch: rows of the observed layers; what the latent layers of `rows` hold has no meaning. Row i of a data set
/// of N rows with weights w has weight w_i N / (B Σ w): the weights sum to one in expectation, not in each batch.
struct DataBatch {
  const Chains& rows;
  std::span<const double> weights;
  Posterior& posterior;  ///< of these rows under the present θ
  /// Which entries were seen; null: all of the observed layers. What `rows` hold for the others has no meaning.
  const HeldMask* observed = nullptr;
  std::span<const double> marginals =
      {};                               ///< mean of each observed column over the whole training data, in layout order
  std::span<const Index> indices = {};  ///< each row's place in the training data; empty: it is not known

  /// What a draw from the posterior must leave alone: the entries that were seen.
  HeldMask seen(const Layout& layout) const { return observed ? *observed : HeldMask(layout.observed()); }

  double total_weight() const {
    double sum = 0.0;
    for (const double w : weights) sum += w;
    return sum;
  }
};

/// When pairs of coupled chains met.
struct MeetingReport {
  std::uint64_t pairs = 0, sum = 0, most = 0;  ///< of the times, in transitions
  void add(std::uint64_t time) {
    ++pairs;
    sum += time;
    most = std::max(most, time);
  }
  void add(const MeetingReport& other) {
    pairs += other.pairs;
    sum += other.sum;
    most = std::max(most, other.most);
  }
  double mean() const { return pairs ? static_cast<double>(sum) / static_cast<double>(pairs) : 0.0; }
};

/// What the reports of an estimator or a phase will tell beside the gradient: an observer of anything else is refused when the
/// run is assembled.
struct Figures {
  bool loss = false;                  ///< Report::loss
  bool bound = false;                 ///< PhaseReport::bound
  bool meetings = false;              ///< PhaseReport::meetings
  std::vector<std::string> own = {};  ///< the names of GradientEstimator::Report::own, in their order
  bool operator==(const Figures&) const = default;
};

struct PhaseReport {
  bool exact = false;  ///< an expectation, not a Monte Carlo mean
  std::string method;  ///< in words, for the run's report
  SamplerReport sampler{};
  /// Of a variational phase: the weighted mean over rows of −E_q[E] + H(q), a lower bound of log Σ_h exp(−E), in nats.
  std::optional<double> bound = {};
  Index iterations = 0;                        ///< of a variational phase: the most that any row took
  std::optional<MeetingReport> meetings = {};  ///< of coupled chains
};

/// What an estimator must know of the data of a run before it starts.
struct DataOutline {
  Index rows = 0;
  bool missing = false;  ///< whether some entries were not seen
  /// At most so many of its rows, evenly spread over it, for what is made after their likeness; null where none can be had.
  /// To be called in `begin` only.
  std::function<Chains(Index most)> some_rows = {};
};

/// positive: q is the posterior of the data; negative: q is the model.
enum class Phase : std::uint8_t { positive, negative };

/// One of the two expectations of the likelihood gradient: E_q[∂E/∂θ], q being the posterior of the data (positive
/// phase) or the model (negative phase).
class PhaseEstimator {
 public:
  static constexpr const char* kind = "phase";
  virtual ~PhaseEstimator();
  /// Throws CapabilityError, naming what would serve, where the model lacks what this phase needs.
  virtual void check(const EnergyModel& model, Phase phase) const = 0;
  /// Called once, after `check`, when the data of a run is known. Throws CapabilityError where this phase cannot serve
  /// it: by default, in the positive phase, where entries are missing.
  virtual void begin(const EnergyModel& model, Phase phase, const DataOutline& data);
  /// `effective`, the table that this phase was made from, with what was left to be settled by the model and the data
  /// (after `begin`) written out, so that it says what a run does.
  virtual Value resolved(const Value& effective, const EnergyModel&, Phase) const { return effective; }
  /// gradient += scale · E_q[∂E/∂θ].
  virtual PhaseReport accumulate(const EnergyModel& model, const DataBatch& data, Phase phase, double scale,
                                 std::span<Real> gradient, const Execution& execution) = 0;
  /// Matrix products of the size of the couplings, for a batch of `rows`: rows × products, for budgets.
  virtual double products(const EnergyModel& model, Phase phase, Index rows) const = 0;
  /// Adds what it will hold beside θ, the gradient and the batch, for a batch of `rows`.
  virtual void memory(const EnergyModel&, Phase, Index /*rows*/, MemoryNeed&) const {}
  /// What its reports will tell; called after `begin`.
  virtual Figures figures(const EnergyModel&) const { return {}; }
  /// What it remembers; loaded after `begin`.
  virtual void state(StateArchive&) {}
};

/// Writes an estimate of ∂L/∂θ for some training loss L, for descent.
class GradientEstimator {
 public:
  static constexpr const char* kind = "estimator";
  struct Report {
    PhaseReport positive, negative;
    std::optional<double> loss = {};  ///< the value of L over the batch, where the estimator knows it
    /// Whether what is written estimates ∂L/∂θ itself. False where a part is left out by design, or parameters are centered;
    /// L still falls against it.
    bool slope = true;
    /// Of a loss that is told: whether it is a proper scoring rule, for which no law is better than that of the data.
    bool proper = true;
    /// Figures of its own, such as an estimate of log Z, by name.
    std::vector<std::pair<std::string, double>> own = {};
  };
  virtual ~GradientEstimator();
  virtual void check(const EnergyModel& model) const = 0;
  /// Called once, after `check`, when the data of a run is known. Throws CapabilityError where this estimator cannot
  /// serve it: by default where entries are missing.
  virtual void begin(const EnergyModel& model, const DataOutline& data);
  /// The parameters that it learns beside θ, such as the log Z of noise-contrastive estimation; by default none.
  virtual ParameterLayout own_parameters(const EnergyModel&) const { return {}; }
  /// Their values, which whoever runs the estimator moves against their gradient as it moves θ.
  virtual std::span<Real> own_values() { return {}; }
  /// Called once, after `begin`, when θ has its first values: gives its own parameters theirs.
  virtual void start(const EnergyModel&, const Execution&) {}
  /// As PhaseEstimator::resolved.
  virtual Value resolved(const Value& effective, const EnergyModel&) const { return effective; }
  /// Overwrites `gradient`: of θ, then of its own parameters (gradient_layout).
  virtual Report estimate(const EnergyModel& model, const DataBatch& data, std::span<Real> gradient,
                          const Execution& execution) = 0;
  virtual double products(const EnergyModel& model, Index rows) const = 0;
  /// Adds what it will hold beside θ, the gradient and the batch, for a batch of `rows`.
  virtual void memory(const EnergyModel&, Index /*rows*/, MemoryNeed&) const {}
  /// What its reports will tell; called after `begin`.
  virtual Figures figures(const EnergyModel&) const { return {}; }
  /// What it remembers; loaded after `begin`.
  virtual void state(StateArchive&) {}
};

/// What a gradient of this estimator has: the tensors of θ, then those of the estimator's own. Throws ConfigError where two
/// are called alike.
ParameterLayout gradient_layout(const EnergyModel& model, const GradientEstimator& estimator);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
