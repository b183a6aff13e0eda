#include <harmonium/models/pairwise.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <xtensor/xmath.hpp>

#include <harmonium/framework/core/blas.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/model/tiling.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Σ_r weights[r] x(r, c) for columns [begin, end), in double: a sum over many rows in single precision would lose the
/// same part of each term that is small beside it, which is a bias.
std::vector<double> weighted_sums(ConstMatrixRef x, std::span<const double> weights, Index begin, Index end) {
  constexpr Index together = 4;  // rows a pass, so that the sums are read and written once for four of x
  std::vector<double> sums(end - begin, 0.0);
  for (Index r = 0; r < x.rows; r += together) {
    std::array<const Real*, together> row{};
    std::array<Real, together> w{};
    for (Index k = 0; k < together; ++k) {
      row[k] = x.row(std::min(r + k, x.rows - 1)) + begin;
      w[k] = r + k < x.rows ? static_cast<Real>(weights[r + k]) : Real{0};
    }
    for (Index c = 0; c < sums.size(); ++c)
      sums[c] += static_cast<double>((w[0] * row[0][c] + w[1] * row[1][c]) + (w[2] * row[2][c] + w[3] * row[3][c]));
  }
  return sums;
}

}  // namespace

Pairwise::Pairwise(LayerGraph graph) : layout_(std::move(graph.layers)) {
  for (const LayerId l : layout_.ids()) {
    const Layer& layer = layout_[l];
    bias_.push_back(parameter_layout_.add(
        {.name = "bias." + layer.name, .rows = layer.columns(), .role = ParameterRole::bias, .layers = {l}}));
  }
  for (auto [a, b] : graph.couplings) {
    if (a > b) std::swap(a, b);
    if (b >= layout_.size()) throw ConfigError(fmt::format("a coupling names layer {} of {}", b, layout_.size()));
    const LayerId la = layout_.id(a), lb = layout_.id(b);
    const std::string name = "weight." + layout_[la].name + "." + layout_[lb].name;
    if (parameter_layout_.find(name) != parameter_layout_.blocks().size())
      throw ConfigError(
          fmt::format("the coupling of '{}' and '{}' is given twice", layout_[la].name, layout_[lb].name));
    const Index block = parameter_layout_.add({.name = name,
                                               .rows = layout_[la].columns(),
                                               .cols = layout_[lb].columns(),
                                               .symmetry = a == b ? Symmetry::symmetric_zero_diagonal : Symmetry::none,
                                               .role = ParameterRole::coupling,
                                               .layers = {la, lb}});
    couplings_.push_back({la, lb, block});
  }
  for (const LayerId l : layout_.ids()) {
    const Layer& layer = layout_[l];
    if (!layer.unit->has_curvature()) {
      log_precision_.push_back(~Index{0});
      continue;
    }
    const auto i = static_cast<Index>(l);
    const bool learned = std::ranges::find(graph.learned_precisions, i) != graph.learned_precisions.end();
    log_precision_.push_back(parameter_layout_.add({.name = "log_precision." + layer.name,
                                                    .rows = layer.columns(),
                                                    .role = ParameterRole::log_precision,
                                                    .layers = {l},
                                                    .learned = learned}));
  }
  check_fits(parameter_layout_);
  theta_.resize(parameter_layout_.size());

  sparse_.resize(layout_.size());
  coupled_ = coupled_gaussians(layout_.all());
  half_lines_ = coupled_half_lines();
  refresh();
  make_blocks();
}

void Pairwise::make_blocks() {
  blocks_.clear();
  for (const LayerId l : layout_.ids()) {
    const Index units = layout_[l].size;
    if (!lateral(l)) {
      blocks_.push_back({l, {}, units});
    } else if (const SparseLateral* few = sparse(l)) {
      for (const std::vector<Index>& c : few->classes()) blocks_.push_back({l, c, c.size()});
    } else {
      for (Index u = 0; u < units; ++u) blocks_.push_back({l, {u}, 1});
    }
  }
}

void Pairwise::set_mask(Index position, std::vector<std::uint8_t> mask) {
  const auto c = std::ranges::find(couplings_, position, &Coupling::block);
  if (c == couplings_.end()) {
    EnergyModel::set_mask(position, std::move(mask));
    return;
  }
  if (const Index width = layout_[c->a].unit->width(), columns = layout_[c->a].columns(); c->lateral())
    for (Index i = 0; i < mask.size(); ++i)
      if (i / columns / width == i % columns / width) mask[i] = 0;  // states of one unit
  parameter_layout_.set_mask(position, std::move(mask));
  if (c->lateral()) {
    const ParameterBlock& b = parameter_layout_[position];
    sparse_[static_cast<Index>(c->a)].emplace(MatrixView<const std::uint8_t>{b.mask->data(), b.rows, b.cols, b.cols},
                                              layout_[c->a].unit->width());
    make_blocks();
  }
  if (const std::optional<std::string> wrong = refresh()) throw NumericalError(*wrong);
}

LayerSet Pairwise::without(LayerSet kept) const {
  LayerSet rest = layout_.all();
  for (const LayerId l : layout_.ids())
    if (kept.contains(l)) rest.remove(l);
  return rest;
}

bool Pairwise::lateral(LayerId layer) const {
  return std::ranges::any_of(couplings_, [&](const Coupling& c) { return c.lateral() && c.a == layer; });
}

void Pairwise::update_parameters(FunctionRef<void(std::span<Real>)> write) {
  const std::vector<Real> before(theta_.begin(), theta_.end());
  try {
    write(theta_);
    if (const std::optional<std::string> wrong = refresh()) throw NumericalError(*wrong);
  } catch (...) {
    std::ranges::copy(before, theta_.begin());
    refresh();  // some of what follows from θ may have been made anew already
    throw;
  }
}

std::optional<std::string> Pairwise::refresh() {
  parameter_layout_.clear_absent(theta_);
  for (const Coupling& c : couplings_) {
    if (!c.lateral()) continue;
    const ConstMatrixRef w = tensor(c.block);
    const Index width = layout_[c.a].unit->width();
    for (Index i = 0; i < w.rows; ++i) {
      for (Index j = i; j < w.cols; ++j) {
        const bool own = i / width == j / width;
        if (w(i, j) == w(j, i) && (!own || w(i, j) == 0)) continue;
        return fmt::format(
            "{}: entries ({}, {}) and ({}, {}) are {} and {}, but a lateral coupling is symmetric with zero diagonal",
            parameter_layout_[c.block].name, i, j, j, i, w(i, j), w(j, i));
      }
    }
  }
  const auto names_of = [&](LayerSet set) {
    std::vector<std::string> names;
    for (const LayerId l : layout_.ids())
      if (set.contains(l)) names.push_back(layout_[l].name);
    return fmt::format("{}", fmt::join(names, ", "));
  };
  for (const LayerId l : layout_.ids()) {
    if (!layout_[l].unit->has_curvature()) continue;
    const std::vector<Real> gamma = precisions(l, 0, layout_[l].columns());
    for (Index i = 0; i < gamma.size(); ++i)
      if (gamma[i] == 0 || std::isinf(gamma[i]))
        return fmt::format("log_precision.{}: entry {} makes a precision of {}, but it must be positive and finite",
                           layout_[l].name, i, gamma[i]);
  }
  for (const Coupling& c : couplings_)
    if (std::optional<SparseLateral>& few = sparse_[static_cast<Index>(c.a)]; c.lateral() && few)
      few->refresh(tensor(c.block));
  if (!half_lines_.empty() && !half_lines_have_density())
    return fmt::format(
        "the couplings of the continuous units (layers: {}) are too strong for their precisions: no density is sure to "
        "exist",
        names_of(half_lines_));
  if (coupled_.empty()) return {};
  const std::vector<double> precision = joint_precision(coupled_);
  const Index n = layout_.columns(coupled_);
  std::optional<JointGaussian> law = JointGaussian::of({precision.data(), n, n, n});
  if (!law) {
    return fmt::format(
        "the precision matrix of the {} coupled Gaussian units (layers: {}) is not positive definite: their couplings "
        "are "
        "too strong for their precisions, and no density exists",
        n, names_of(coupled_));
  }
  joint_ = std::move(law);
  lateral_law_.assign(layout_.size(), {});
  for (const LayerId l : layout_.ids()) {
    if (!lateral(l) || !gaussian(l)) continue;
    const LayerSet alone = LayerSet().add(l);
    lateral_law_[static_cast<Index>(l)] = joint_law(alone, lateral_law_[static_cast<Index>(l)]);
  }
  return {};
}

std::vector<Real> Pairwise::precisions(LayerId layer, Index begin, Index end) const {
  const Real* log_gamma = theta_.data() + parameter_layout_[log_precision_[static_cast<Index>(layer)]].offset;
  std::vector<Real> gamma(end - begin);
  std::transform(log_gamma + begin, log_gamma + end, gamma.begin(), [](Real v) { return std::exp(v); });
  return gamma;
}

std::vector<double> Pairwise::exact_precisions(LayerId layer) const {
  std::vector<double> gamma(layout_[layer].columns(), 0.0);
  if (!layout_[layer].unit->has_curvature()) return gamma;
  const Real* log_gamma = theta_.data() + parameter_layout_[log_precision_[static_cast<Index>(layer)]].offset;
  for (Index c = 0; c < gamma.size(); ++c) gamma[c] = std::exp(static_cast<double>(log_gamma[c]));
  return gamma;
}

void Pairwise::add_up_fields(LayerId layer, Index begin, Index end, ConstChainView x, bool with_lateral,
                             MatrixRef out) const {
  Real keep = 0;
  for (const Coupling& c : couplings_) {
    if (c.lateral() && (c.a != layer || !with_lateral)) continue;
    // The field of b is x_a W, that of a is x_b Wᵀ.
    if (c.b == layer) {
      gemm(Transpose::no, Transpose::no, Real{1}, x[c.a], tensor(c.block).columns(begin, end), keep, out);
    } else if (c.a == layer) {
      gemm(Transpose::no, Transpose::yes, Real{1}, x[c.b], tensor(c.block).slice(begin, end), keep, out);
    } else {
      continue;
    }
    keep = 1;
  }
  if (keep == 0)
    for (Index r = 0; r < out.rows; ++r) std::fill(out.row(r), out.row(r) + out.cols, Real{0});
}

void Pairwise::fields(const Block& block, Index begin, Index end, ConstChainView x, const Fields& out) const {
  const Index width = layout_[block.layer].unit->width();
  const bool curved = !out.curvature.empty();
  const SparseLateral* few = sparse(block.layer);
  const ConstMatrixRef own = x[block.layer];
  const auto fill = [&](Index first, Index last, MatrixRef linear, MatrixRef curvature) {
    add_up_fields(block.layer, first, last, x, few == nullptr, linear);
    const Real* b = bias(block.layer) + first;
    for (Index r = 0; r < linear.rows; ++r)
      for (Index c = 0; c < linear.cols; ++c)
        linear(r, c) += b[c] + (few ? few->field(own.row(r), first + c) : Real{0});
    if (!curved) return;
    const std::vector<Real> gamma = precisions(block.layer, first, last);
    for (Index r = 0; r < curvature.rows; ++r) std::copy(gamma.begin(), gamma.end(), curvature.row(r));
  };
  if (block.whole()) {
    fill(begin * width, end * width, out.linear, out.curvature);
    return;
  }
  for (Index k = begin; k < end; ++k) {
    const Index unit = block.units[k], at = (k - begin) * width;
    fill(unit * width, (unit + 1) * width, out.linear.columns(at, at + width),
         curved ? out.curvature.columns(at, at + width) : MatrixRef{});
  }
}

const StateGradient* Pairwise::state_gradient() const {
  const auto& layers = layout_.layers();
  return std::ranges::any_of(layers, [](const Layer& l) { return l.unit->num_states() == 0; }) ? this : nullptr;
}

void Pairwise::evaluate(ConstChainView x, std::span<const MatrixRef> out) const {
  for (const LayerId l : layout_.ids()) {
    const MatrixRef slope = out[static_cast<Index>(l)];
    if (slope.empty()) continue;
    add_up_fields(l, 0, slope.cols, x, true, slope);
    const ConstMatrixRef value = x[l];
    const Real* b = bias(l);
    const std::vector<Real> gamma =
        layout_[l].unit->has_curvature() ? precisions(l, 0, slope.cols) : std::vector<Real>(slope.cols, Real{0});
    for (Index r = 0; r < slope.rows; ++r)
      for (Index c = 0; c < slope.cols; ++c) slope(r, c) = gamma[c] * value(r, c) - (slope(r, c) + b[c]);
  }
}

bool Pairwise::independent(LayerSet free, LayerSet given) const {
  // A path between two free layers through layers that are neither free nor given would couple them: those count too.
  for (const LayerId l : layout_.ids())
    if (!given.contains(l) && !free.contains(l)) return false;
  return std::ranges::none_of(couplings_, [&](const Coupling& c) { return free.contains(c.a) && free.contains(c.b); });
}

void Pairwise::redraw(const Draw& draw, ChainView x) const {
  if (lateral(draw.layer)) {
    if (gaussian(draw.layer)) redraw_jointly(draw, x);
    else redraw_in_order(draw, x);
    return;
  }
  const Layer& layer = layout_[draw.layer];
  const Index width = layer.unit->width(), begin = draw.begin * width, end = draw.end * width;
  const MatrixRef state = x[draw.layer].columns(begin, end);
  const auto part = [&](MatrixRef m) { return m.empty() ? MatrixRef{} : m.columns(begin, end); };
  const MatrixRef mean = part(draw.mean), second = part(draw.second);

  MatrixView<const std::uint8_t> held;
  std::vector<Real> kept;
  if (draw.held) held = draw.held->units(draw.layer, x.begin, x.end);
  if (!held.empty()) {
    kept.resize(state.rows * state.cols);
    for (Index r = 0; r < state.rows; ++r) std::copy(state.row(r), state.row(r) + state.cols, &kept[r * state.cols]);
  }

  // The field of a layer without lateral couplings does not depend on its state, so it is built in the state's place.
  const MatrixRef field = draw.states ? state : mean;
  add_up_fields(draw.layer, begin, end, x, false, field);
  ConstFields fields{field};
  fields.bias = bias(draw.layer) + begin;
  fields.scale = draw.scale;
  std::vector<Real> gamma;
  if (layer.unit->has_curvature()) {
    gamma = precisions(draw.layer, begin, end);
    fields.curvature = {gamma.data(), state.rows, state.cols, 0};
    if (!second.empty()) layer.unit->moments(fields, {}, second);
  }
  if (draw.states) {
    layer.unit->sample(fields, draw.addresses, state, mean);
  } else {
    layer.unit->moments(fields, mean, {});
  }

  if (held.empty()) return;
  for (Index r = 0; r < state.rows; ++r) {
    for (Index c = 0; c < state.cols; ++c) {
      if (!held(r, (begin + c) / width)) continue;
      state(r, c) = kept[r * state.cols + c];
      if (!mean.empty()) mean(r, c) = state(r, c);
      if (!second.empty()) second(r, c) = state(r, c) * state(r, c);
    }
  }
}

void Pairwise::add_gradient(ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                            const Executor& executor) const {
  Moments q;
  std::vector<std::vector<Real>> squares(layout_.size());
  for (const LayerId l : layout_.ids()) {
    const ConstMatrixRef values = x[l];
    q.mean.push_back(values);
    q.second.emplace_back();
    if (!layout_[l].unit->has_curvature()) continue;
    std::vector<Real>& s = squares[static_cast<Index>(l)];
    s.resize(values.rows * values.cols);
    const MatrixRef square{s.data(), values.rows, values.cols, values.cols};
    as_xtensor(square) = xt::square(as_xtensor(values));
    q.second.back() = square;
  }
  add_gradient(q, weights, gradient, executor);
}

void Pairwise::add_gradient(const Moments& q, std::span<const double> weights, std::span<Real> gradient,
                            const Executor& executor) const {
  const Index rows = weights.size();
  if (rows == 0) return;
  const auto few = [&](const Coupling& c) { return c.lateral() ? sparse(c.a) : nullptr; };
  const bool equal = std::ranges::all_of(weights, [&](double w) { return w == weights[0]; });

  for (const LayerId l : layout_.ids()) {
    const auto i = static_cast<Index>(l);
    if (!layout_[l].unit->has_curvature()) continue;
    const ParameterBlock& block = parameter_layout_[log_precision_[i]];
    if (!block.learned) continue;
    const ConstMatrixRef second = q.second[i];
    const std::vector<Real> gamma = precisions(l, 0, second.cols);
    Real* out = gradient.data() + block.offset;
    const std::vector<double> sums = weighted_sums(second, weights, 0, second.cols);
    for (Index c = 0; c < second.cols; ++c)
      out[c] += static_cast<Real>(0.5 * static_cast<double>(gamma[c]) * sums[c]);  // ∂E/∂log γ = ½ γ x²
  }

  // Panels of the couplings and of the biases, together in one call of the executor. Parameters are cut, not chains: no
  // sum over threads is ever needed.
  struct Panel {
    Index coupling;  // couplings_.size(): the bias of `layer`
    LayerId layer;
    Index begin, end;
  };
  std::vector<Panel> panels;
  const auto cut = [&](Index coupling, LayerId layer, Index units) {
    const Index width = Tiling::panel(units);
    for (Index begin = 0; begin < units; begin += width)
      panels.push_back({coupling, layer, begin, std::min(begin + width, units)});
  };
  std::vector<std::vector<Real>> scaled(couplings_.size());
  for (Index k = 0; k < couplings_.size(); ++k) {
    const Coupling& c = couplings_[k];
    cut(k, c.a, q.mean[static_cast<Index>(c.a)].cols);
    if (equal || few(c)) continue;
    const ConstMatrixRef b = q.mean[static_cast<Index>(c.b)];
    scaled[k].resize(rows * b.cols);
    for (Index r = 0; r < rows; ++r)
      for (Index j = 0; j < b.cols; ++j) scaled[k][r * b.cols + j] = static_cast<Real>(weights[r]) * b(r, j);
  }
  for (const LayerId l : layout_.ids()) cut(couplings_.size(), l, layout_[l].columns());

  executor.for_each_piece(panels.size(), 1, [&](Index at, Index) {
    const Panel& panel = panels[at];
    const ConstMatrixRef a = q.mean[static_cast<Index>(panel.layer)];
    if (panel.coupling == couplings_.size()) {
      const std::vector<double> sums = weighted_sums(a, weights, panel.begin, panel.end);
      Real* out = gradient.data() + parameter_layout_[bias_[static_cast<Index>(panel.layer)]].offset + panel.begin;
      for (Index c = 0; c < sums.size(); ++c) out[c] -= static_cast<Real>(sums[c]);  // ∂E/∂b = −x
      return;
    }
    const Coupling& c = couplings_[panel.coupling];
    const MatrixRef out = parameter_layout_.view(c.block, gradient.data());
    if (const SparseLateral* entries = few(c)) {
      entries->add_gradient(a, weights, panel.begin, panel.end, out);
      return;
    }
    ConstMatrixRef b = q.mean[static_cast<Index>(c.b)];
    if (!equal) b = {scaled[panel.coupling].data(), rows, b.cols, b.cols};
    gemm(Transpose::yes, Transpose::no, equal ? static_cast<Real>(-weights[0]) : Real{-1},
         a.columns(panel.begin, panel.end), b, Real{1}, out.slice(panel.begin, panel.end));
  });

  finish_gradient(gradient);
}

void Pairwise::finish_gradient(std::span<Real> gradient) const {
  for (const Coupling& c : couplings_) {
    if (!c.lateral()) continue;
    // One parameter a pair, written twice; a unit is not coupled to itself. Both halves come from one sum.
    const Index width = layout_[c.a].unit->width();
    const MatrixRef out = parameter_layout_.view(c.block, gradient.data());
    for (Index i = 0; i < out.rows; ++i)
      for (Index j = i; j < out.cols; ++j) out(j, i) = out(i, j) = i / width == j / width ? Real{0} : out(i, j);
  }
  parameter_layout_.clear_absent(gradient);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
