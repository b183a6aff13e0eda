#pragma once

#include <string>

#include <harmonium/framework/files/edge_list.hpp>
#include <harmonium/framework/training/initializer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Sets J_ij = sign · w_ij between the units i and j of the one layer of `model` whose units are coupled with each other, all
/// other parameters to 0, and gives the position of that tensor. `path` is the graph's file, for messages. Throws
/// ConfigError where the model has no such layer, or one of another size than the graph, DataError where a weight is too
/// large for the precision.
Index set_couplings(EnergyModel& model, const EdgeList& graph, double sign, const std::string& path);

/// Couplings from a file of edges (framework/files/edge_list.hpp): J_ij = sign · w_ij between the units i and j of the one
/// layer whose units are coupled with each other, all other parameters 0. With spins and sign 1 the energy is
/// E = −Σ w_ij s_i s_j, each edge once; sign −1 is for files whose energy is +Σ w_ij s_i s_j, such as max-cut instances.
class EdgeListInitializer final : public Initializer {
 public:
  struct Options {
    std::string path = {};
    double sign = 1.0;
    void bind(OptionBinder& o);
    void validate() const;
  };
  explicit EdgeListInitializer(Options options);
  /// Throws ConfigError where the model has no such layer, or one of another size than the graph.
  void initialize(EnergyModel& model, const Dataset* data, const Execution& execution) const override;

 private:
  Options options_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
