#pragma once

#include <optional>
#include <string>

#include <harmonium/framework/files/edge_list.hpp>
#include <harmonium/framework/training/initializer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Sets J_ij = sign · w_ij between the units i and j of the one layer of `model` whose units are coupled with each other, all
/// other parameters to 0 but for the precision γ where one is given, and gives the position of that tensor. `path` is the graph's file, for messages. Throws
/// ConfigError where the model has no such layer, or one of another size than the graph, DataError where a weight is too
/// large for the precision.
Index set_couplings(EnergyModel& model, const EdgeList& graph, double sign, const std::string& path,
                    const std::optional<double>& precision = {});

/// Sets the biases of the layer that the couplings at `position` join to sign · h_i, h being the numbers in the file `path`, of
/// any kind of data file, one a unit, and q of each unit of q states (read_state_values). Throws ConfigError where the layer
/// has no biases or there are not as many numbers, DataError where these are too large for the precision.
void set_fields(EnergyModel& model, Index position, const std::string& path, double sign);
/// The same with one number for every unit. Throws ConfigError where the layer has no biases, or the number is too large.
void set_uniform_field(EnergyModel& model, Index position, double field);

/// Couplings from a file of edges (framework/files/edge_list.hpp): J_ij = sign · w_ij between the units i and j of the one
/// layer whose units are coupled with each other, biases from a file of fields where there is one, all other parameters 0. With spins
/// and sign 1 the energy is E = −Σ w_ij s_i s_j − Σ h_i s_i, each edge once, and with categorical units, whose equal states are coupled
/// (Potts 1952), E = −Σ w_ij δ(s_i, s_j) − Σ h_{i,s_i}; sign −1 is for files whose energy is +Σ w_ij s_i s_j, such as max-cut instances.
class EdgeListInitializer final : public Initializer {
 public:
  struct Options {
    std::string path = {};
    double sign = 1.0;
    std::string fields = {};
    std::optional<double> field = {};  ///< of every unit, in place of `fields`
    std::optional<double> crystal_field = {};
    std::optional<double> precision = {};
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
