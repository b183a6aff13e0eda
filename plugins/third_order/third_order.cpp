#include "third_order.hpp"

#include <algorithm>
#include <sstream>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/plugin/plugin.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void ThirdOrderTerm::declare(const Layout& layout, ParameterLayout& parameters) {
  layer_ = layout.find(options_.layer);
  const Layer& own = layout[layer_];
  if (own.unit->width() != 1)
    throw ConfigError("term 'third_order': the units of layer '" + own.name + "' have several columns. Take others.");
  read_triples(own.size);
  partners_.resize(own.size);
  for (Index t = 0; t < triples_.size(); ++t)
    for (Index n = 0; n < 3; ++n)
      partners_[triples_[t][n]].push_back({triples_[t][(n + 1) % 3], triples_[t][(n + 2) % 3], t});
  tensor_ = add_tensor(parameters, {.name = "triple." + own.name, .rows = triples_.size(), .layers = {layer_}});
}

void ThirdOrderTerm::read_triples(Index units) {
  if (options_.triples.empty())
    for (Index i = 0; i < units; ++i)
      for (Index j = i + 1; j < units; ++j)
        for (Index k = j + 1; k < units; ++k) triples_.push_back({i, j, k});
  for (const std::string& text : options_.triples) {
    std::istringstream in(text);
    std::array<std::int64_t, 3> t{};
    std::string more;
    const bool read = in >> t[0] >> t[1] >> t[2] && !(in >> more);
    std::ranges::sort(t);
    const bool units_of_layer = t[0] >= 0 && t[2] < static_cast<std::int64_t>(units) && t[0] < t[1] && t[1] < t[2];
    const std::array own{static_cast<Index>(t[0]), static_cast<Index>(t[1]), static_cast<Index>(t[2])};
    if (!read || !units_of_layer || std::ranges::find(triples_, own) != triples_.end())
      throw ConfigError("term 'third_order': '" + text + "' is no triple. Give three different units of the " +
                        std::to_string(units) + " there are, counted from 0, each triple once.");
    triples_.push_back(own);
  }
  if (triples_.empty())
    throw ConfigError("term 'third_order': the layer has fewer than three units. Take a larger one.");
}

std::string ThirdOrderTerm::formula() const {
  const std::string& x = options_.layer;
  return "- sum_ijk J_ijk " + x + "_i " + x + "_j " + x + "_k";
}

bool ThirdOrderTerm::add_neighbors(LayerId layer, std::vector<std::vector<std::uint32_t>>& neighbors) const {
  for (const auto& t : triples_)
    for (const Index i : t)
      for (const Index j : t)
        if (layer == layer_ && i != j) neighbors[i].push_back(static_cast<std::uint32_t>(j));
  return true;
}

/// out(r, i) += Σ J_ijk x_j x_k
template <class T>
void ThirdOrderTerm::add_products(Index begin, Index end, MatrixView<const T> x, const Real* theta,
                                  MatrixView<T> out) const {
  for (Index r = 0; r < x.rows; ++r)
    for (Index i = begin; i < end; ++i)
      for (const auto& [j, k, t] : partners_[i])
        out(r, i - begin) += static_cast<T>(tensor_.of(theta)(t, 0)) * x(r, j) * x(r, k);
}

void ThirdOrderTerm::add_fields(LayerId layer, Index begin, Index end, ConstChainView x, const Real* theta, Real keep,
                                MatrixRef out) const {
  for (Index r = 0; r < out.rows; ++r)
    for (Index c = 0; c < out.cols; ++c) out(r, c) = keep == 0 ? Real{0} : keep * out(r, c);
  add_products<Real>(begin, end, x[layer], theta, out);
}

void ThirdOrderTerm::add_exact_fields(LayerId layer, const ExactRows& x, const Real* theta,
                                      MatrixView<double> out) const {
  add_products<double>(0, partners_.size(), x[layer], theta, out);
}

void ThirdOrderTerm::add_energy(double factor, const ExactRows& x, const Real* theta, std::span<double> out) const {
  const MatrixView<const double> s = x[layer_];
  for (Index r = 0; r < s.rows; ++r)
    for (Index t = 0; t < triples_.size(); ++t)
      out[r] -= factor * static_cast<double>(tensor_.of(theta)(t, 0)) * s(r, triples_[t][0]) * s(r, triples_[t][1]) *
                s(r, triples_[t][2]);
}

void ThirdOrderTerm::add_gradient(const Moments& q, std::span<const double> weights, const Real*,
                                  std::span<Real> gradient, const Executor& executor) const {
  const ConstMatrixRef m = q.mean[static_cast<Index>(layer_)];
  executor.for_each_piece(triples_.size(), 64, [&](Index begin, Index end) {
    for (Index t = begin; t < end; ++t) {
      double sum = 0.0;
      for (Index r = 0; r < m.rows; ++r)
        sum += weights[r] * static_cast<double>(m(r, triples_[t][0])) * static_cast<double>(m(r, triples_[t][1])) *
               static_cast<double>(m(r, triples_[t][2]));
      gradient[tensor_.offset + t] -= static_cast<Real>(sum);
    }
  });
}

namespace {

void enroll(Registries& registries) {
  registries.of<EnergyTerm>().add<ThirdOrderTerm>("third_order", "- sum_ijk J_ijk x_i x_j x_k of one layer");
}

}  // namespace
}  // namespace HARMONIUM_ABI
}  // namespace harmonium

HARMONIUM_PLUGIN("third_order", "1.0.0", "energies of third order within a layer", harmonium::enroll);
