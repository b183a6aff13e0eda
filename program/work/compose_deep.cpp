#include <algorithm>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/program/work/commands.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// The tensor of a restricted machine that has this role and is of these layers: 0 what it observes, 1 its latent units.
ConstMatrixRef tensor_of(const EnergyModel& machine, const std::string& path, ParameterRole role,
                         const std::vector<LayerId>& layers) {
  const ParameterLayout& tensors = machine.parameter_layout();
  for (Index k = 0; k < tensors.blocks().size(); ++k)
    if (tensors[k].role == role && tensors[k].layers == layers && !tensors[k].mask)
      return tensors.view(k, machine.parameters().data());
  throw ConfigError(
      fmt::format("{}: the machine has not the couplings and biases of an RBM, of which alone a deep Boltzmann machine "
                  "is composed.",
                  path));
}

/// += factor · from, entry by entry; `from` has the shape of `to`.
void add(double factor, ConstMatrixRef from, MatrixRef to) {
  for (Index r = 0; r < to.rows; ++r)
    for (Index c = 0; c < to.cols; ++c) to(r, c) += static_cast<Real>(factor * static_cast<double>(from(r, c)));
}

class Composition {
 public:
  Composition(const JoinRequest& request, const Registries& registries) : request_(request) {
    for (const std::string& path : request.models)
      machines_.push_back(load_model(path, read_model_header(path), registries));
  }
  /// Units of the layer of the data, which the lowest machine may have had from these.
  Index num_visible() const { return machines_.front()->layout()[LayerId{0}].size; }
  /// Fills the tensors of the deep machine, all of them 0 before.
  void fill(EnergyModel& deep) const {
    const ParameterLayout& tensors = deep.parameter_layout();
    deep.update_parameters([&](std::span<Real> theta) {
      std::ranges::fill(theta, Real{0});
      for (Index t = 0; t < tensors.blocks().size(); ++t) {
        const auto lowest = static_cast<Index>(tensors[t].layers.front());
        const MatrixRef to = tensors.view(t, theta.data());
        if (tensors[t].role == ParameterRole::coupling) put_coupling(lowest, to);
        else if (tensors[t].role == ParameterRole::bias) put_bias(lowest, to);
        else put_own(lowest, tensors[t].role, to);
      }
    });
  }

 private:
  bool intermediate(Index k) const { return k > 0 && k + 1 < machines_.size(); }
  ConstMatrixRef tensor(Index k, ParameterRole role, const std::vector<LayerId>& layers) const {
    return tensor_of(*machines_[k], request_.models[k], role, layers);
  }
  /// Between layer k and the next one. A machine between the lowest and the top one was doubled on both sides: its weights are.
  void put_coupling(Index k, MatrixRef to) const {
    add(intermediate(k) ? 0.5 : 1.0, tensor(k, ParameterRole::coupling, {LayerId{0}, LayerId{1}}), to);
  }
  /// Of layer k, which two machines know but at both ends: the mean of theirs.
  void put_bias(Index k, MatrixRef to) const {
    const bool below = k > 0, above = k < machines_.size();
    const double share = below && above ? 0.5 : 1.0;
    if (below) add(share, tensor(k - 1, ParameterRole::bias, {LayerId{1}}), to);
    if (above) add(share, tensor(k, ParameterRole::bias, {LayerId{0}}), to);
  }
  /// What tells the law of a unit of layer k without a field, such as its precision: that of the machine whose latent units they
  /// are, or of the lowest one.
  void put_own(Index k, ParameterRole role, MatrixRef to) const {
    add(1.0, k == 0 ? tensor(0, role, {LayerId{0}}) : tensor(k - 1, role, {LayerId{1}}), to);
  }

  const JoinRequest& request_;
  std::vector<std::unique_ptr<EnergyModel>> machines_;
};

}  // namespace

void compose_deep(const JoinRequest& request, const Value& deep, const Registries& builtin) {
  const ModelHeader lowest = read_model_header(request.models.front());
  const Registries registries = with_plugins(builtin, request, lowest);
  const Composition machines(request, registries);
  Value spec = deep, effective;
  if (!spec.find("num_visible")) spec.set("num_visible", make_value(static_cast<std::int64_t>(machines.num_visible())));
  const std::unique_ptr<EnergyModel> model = registries.make<EnergyModel>(spec, effective);
  machines.fill(*model);
  Value config = make_table({{"model", std::move(effective)}});
  if (const Value* precision = lowest.config.find("precision")) config.set("precision", *precision);
  const std::shared_ptr<const Transform> transform = load_transform(request.models.front());
  write_model(request.output, *model, config, {.sample_shape = lowest.sample_shape, .transform = transform.get()});
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
