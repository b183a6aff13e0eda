#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/execution/execution.hpp>
#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Sets a model's parameters before training.
class Initializer {
 public:
  static constexpr const char* kind = "initializer";
  virtual ~Initializer();
  /// `data`: the training data; null where there is none.
  virtual void initialize(EnergyModel& model, const Dataset* data, const Execution& execution) const = 0;
  /// Whether the model then has the data's modes: persistent chains begin at rows of the data, which are near its law.
  virtual bool fits_data() const { return false; }
};

enum class VisibleBias : std::uint8_t { data, zero };

/// What our initializers take for the fields of single units; latent biases are 0 unless said.
struct BiasOptions {
  VisibleBias visible_bias = VisibleBias::data;
  std::optional<double> field = {};  ///< of every observed unit, in place of `visible_bias`
  double hidden_bias = 0.0;
  std::optional<double> crystal_field = {};  ///< D of every unit that has one; 0 unless given
  std::optional<double> precision = {};      ///< γ of every unit that has one; as it is, 1 at first, unless given

  void bind(OptionBinder& o);
  /// Biases of observed layers under which each unit alone has the data's mean (Hinton 2012, section 8), or 0, or `field`; and
  /// crystal fields and precisions.
  void set(const EnergyModel& model, const Dataset* data, std::span<Real> theta) const;
};

void bind_crystal_field(OptionBinder& o, std::optional<double>& value);
/// The crystal field D of all units that have one: 0 where none is given. Throws ConfigError for one that no unit has.
void set_crystal_fields(const EnergyModel& model, const std::optional<double>& value, std::span<Real> theta);

void bind_precision(OptionBinder& o, std::optional<double>& value);
/// The precision γ of all units that have one, where one is given. Throws ConfigError for one that no unit has.
void set_precisions(const EnergyModel& model, const std::optional<double>& value, std::span<Real> theta);

/// What to do where the couplings at the start leave no density: the last sentence of a message.
std::string smaller_start(const EnergyModel& model);

/// Couplings normal with mean `mean` and deviation `std`; with deviation 0 all are `mean`. Throws ConfigError where several means are
/// not as many as a lattice has parameters.
class NormalInitializer final : public Initializer {
 public:
  struct Options {
    double std = 0.01;
    /// 0 where there is none, one of all couplings, or one for each parameter of a lattice; other couplings then have mean 0.
    std::vector<double> mean = {};
    BiasOptions biases = {};
    void bind(OptionBinder& o);
  };
  explicit NormalInitializer(Options options) : options_(std::move(options)) {}
  void initialize(EnergyModel& model, const Dataset* data, const Execution& execution) const override;

 private:
  Options options_;
};

/// Couplings uniform in [−limit, limit]; Bengio & Delalleau (2009), section 4, take 1/d and biases 0.
class UniformInitializer final : public Initializer {
 public:
  struct Options {
    double limit = 0.01;
    BiasOptions biases = {};
    void bind(OptionBinder& o);
  };
  explicit UniformInitializer(Options options) : options_(options) {}
  void initialize(EnergyModel& model, const Dataset* data, const Execution& execution) const override;

 private:
  Options options_;
};

/// Matches first and second moments at the start: observed units have the data's means; couplings between an observed
/// and a latent layer are normal, scaled so that the field of a latent unit has mean 0 and, on average over the units,
/// deviation `field_std` over the data (biases of latent units take the mean away). Other couplings are 0. Needs data.
class MomentMatchingInitializer final : public Initializer {
 public:
  struct Options {
    double field_std = 0.1;
    std::optional<double> precision = {};
    void bind(OptionBinder& o);
  };
  explicit MomentMatchingInitializer(Options options) : options_(options) {}
  void initialize(EnergyModel& model, const Dataset* data, const Execution& execution) const override;

 private:
  Options options_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
