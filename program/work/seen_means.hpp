#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <harmonium/framework/core/function_ref.hpp>
#include <harmonium/framework/inference/means_by_chains.hpp>
#include <harmonium/framework/inference/sampler.hpp>
#include <harmonium/program/work/clamp.hpp>
#include <harmonium/program/work/row_kinds.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Means of units given what was seen of each row, E[x | seen]: of all that is observed, of which units that were seen keep their
/// values, of the class alone, p(class | seen), or of a latent layer, E[h | seen]. Each row's way is known beforehand: sums over what was not seen where these can be had
/// and, the cheapest rows first, take `most_operations` together (or few ways, `always_summed`), else chains with what was seen held.
class SeenMeans {
 public:
  /// `seen` says what was seen of `rows` rows. `layer`: that of the class, or a latent one, that is asked for; none: all observed units.
  /// Both references must outlive it.
  SeenMeans(const EnergyModel& model, const Clamp& seen, Index rows, std::optional<LayerId> layer,
            double most_operations = most_operations_of_sums);

  Index with_holes() const { return with_holes_; }
  Index estimated() const { return num_estimated_; }
  const ChainAverage& average() const { return average_; }
  /// What moves the chains, where there are to be some. Throws CapabilityError where it cannot.
  void take(std::unique_ptr<Sampler> sampler, const ChainAverage& average);

  /// Variances of what was not seen are found too: of observed units.
  void want_variances();

  /// Rows [first, first + count), which follow those of the call before; columns of all observed layers, or of the one that is asked for. Errors are 0
  /// where a mean is exact. `done` is told often how many of the rows are done, those that chains move in part.
  EstimatedMeans of_rows(Index first, Index count, const Execution& execution, FunctionRef<void(double rows)> done);
  /// The largest of the errors that were told so far.
  double largest_error() const { return largest_error_; }

 private:
  /// Of some rows: whether they have holes, in how many ways these are filled in, and what their sums take.
  struct Work {
    std::vector<bool> holes;
    std::vector<double> ways, operations;
  };
  Work work_of(HeldMask seen, Index rows) const;
  bool of_latent() const { return layer_ && model_->layout()[*layer_].role == Role::latent; }
  bool of_classes() const { return layer_ && !of_latent(); }
  /// Those whose columns are asked for.
  LayerSet layers() const { return layer_ ? LayerSet{}.add(*layer_) : model_->layout().observed(); }
  Index columns() const { return model_->layout().columns(layers()); }
  void choose_ways(double most_operations);
  void put_exact(const Chains& rows, const HeldMask& seen, const std::vector<Index>& which, EstimatedMeans& found,
                 const Execution& execution) const;
  void put_estimated(const Chains& rows, const HeldMask& seen, std::span<const Index> which, EstimatedMeans& found,
                     const Execution& execution, FunctionRef<void(double share)> done);

  const EnergyModel* model_;
  const Clamp* seen_;
  Index rows_;
  std::optional<LayerId> layer_;
  std::vector<bool> estimated_;
  Index with_holes_ = 0, num_estimated_ = 0, done_ = 0;  ///< done: of those that are estimated
  std::unique_ptr<Sampler> sampler_;
  ChainAverage average_;
  bool variances_ = false;
  double largest_error_ = 0.0;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
