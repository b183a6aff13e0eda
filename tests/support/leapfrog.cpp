#include <harmonium/tests/support/leapfrog.hpp>

#include <algorithm>

#include <harmonium/framework/inference/acceptance.hpp>
#include <harmonium/framework/kernels/normal.hpp>

namespace harmonium::testing {
namespace {

/// The continuous layers that are not held, side by side: a row a chain, in double.
class Continuous {
 public:
  Continuous(const Target& target, const Chains& chains) : target_(target), rows_(chains.size()) {
    const Layout& layout = target.model.layout();
    for (const LayerId l : layout.ids()) {
      if (layout[l].unit->num_states() > 0 || target.held_layers().contains(l)) continue;
      layers_.push_back(l);
      columns_ += layout[l].columns();
    }
  }
  const std::vector<LayerId>& layers() const { return layers_; }
  Index columns() const { return columns_; }

  /// β ∇E, 0 for what is held.
  std::vector<double> slope(const Chains& chains) const {
    std::vector<Real> all(rows_ * columns_);
    std::vector<MatrixRef> out(target_.model.layout().size());
    Index at = 0;
    for (const LayerId l : layers_) {
      const Index own = target_.model.layout()[l].columns();
      out[static_cast<Index>(l)] = {all.data() + at, rows_, own, columns_};
      at += own;
    }
    target_.model.state_gradient()->evaluate(chains, out);
    std::vector<double> slope(all.begin(), all.end());
    each(chains, [&](Index r, Index at_column, LayerId, Index, bool held) {
      slope[r * columns_ + at_column] *= held ? 0.0 : target_.beta_of(chains.rung()[r]);
    });
    return slope;
  }
  /// body(row, column among all, layer, column of it, held)
  template <class Body>
  void each(const Chains& chains, const Body& body) const {
    Index at = 0;
    for (const LayerId l : layers_) {
      const Index own = target_.model.layout()[l].columns();
      const auto held = target_.held ? target_.held->units(l, 0, chains.size()) : MatrixView<const std::uint8_t>{};
      for (Index r = 0; r < rows_; ++r)
        for (Index c = 0; c < own; ++c) body(r, at + c, l, c, !held.empty() && held(r, c) != 0);
      at += own;
    }
  }

 private:
  const Target& target_;
  Index rows_, columns_ = 0;
  std::vector<LayerId> layers_;
};

}  // namespace

void Leapfrog::trajectory(const Target& target, Chains& chains, const Execution& execution) const {
  const Continuous part(target, chains);
  if (part.layers().empty()) return;
  const Index rows = chains.size(), columns = part.columns();
  const double h = options_.step_size;
  std::vector<double> p(rows * columns), start(rows, 0.0), end(rows, 0.0), before(rows), after(rows);
  Index at = 0;
  for (const LayerId l : part.layers()) {
    const Index own = target.model.layout()[l].columns();
    NormalDraws normal(DrawBlock::of(execution.random.child("momentum"), chains.first_chain(), chains.step(), l), own);
    for (Index r = 0; r < rows; ++r) {
      const std::span<const double> z = normal.row(r);
      for (Index c = 0; c < own; ++c) p[r * columns + at + c] = z[c];
    }
    at += own;
  }
  part.each(chains, [&](Index r, Index c, LayerId, Index, bool held) {
    double& own = p[r * columns + c];
    own = held ? 0.0 : own;
    start[r] += 0.5 * own * own;
  });
  target.model.energy(chains, before);

  Chains moved = chains;
  std::vector<double> slope = part.slope(moved);
  for (Index step = 0; step < options_.num_steps; ++step) {
    for (Index i = 0; i < p.size(); ++i) p[i] -= 0.5 * h * slope[i];
    part.each(moved, [&](Index r, Index c, LayerId l, Index own, bool) {
      Real& x = moved.write(l)(r, own);
      x = static_cast<Real>(static_cast<double>(x) + h * p[r * columns + c]);
    });
    slope = part.slope(moved);
    const double kick = step + 1 == options_.num_steps ? options_.last_kick : 1.0;
    for (Index i = 0; i < p.size(); ++i) p[i] -= 0.5 * h * kick * slope[i];
  }
  for (Index i = 0; i < p.size(); ++i) end[i / columns] += 0.5 * p[i] * p[i];
  target.model.energy(moved, after);

  const DrawBlock words =
      DrawBlock::of(execution.random.child("end"), chains.first_chain(), chains.step(), part.layers().front());
  for (Index r = 0; r < rows; ++r) {
    const double beta = target.beta_of(chains.rung()[r]);
    if (!accepts(beta * (before[r] - after[r]) + start[r] - end[r], uniform_f64(words.word(r, 0)))) continue;
    for (const LayerId l : part.layers()) {
      const ConstMatrixRef from = moved.read(l);
      std::copy_n(from.row(r), from.cols, chains.write(l).row(r));
    }
  }
}

SamplerReport Leapfrog::advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                                LastMeans*) {
  const Layout& layout = target.model.layout();
  HeldMask rest = target.held ? *target.held : HeldMask();
  bool any_discrete = false;
  for (const LayerId l : layout.ids()) {
    if (layout[l].unit->num_states() == 0) rest.hold(l);
    else any_discrete = true;
  }
  Target discrete = target;
  discrete.held = &rest;
  for (Index s = 0; s < steps; ++s) {
    trajectory(target, chains, execution);
    if (any_discrete) gibbs_.advance(discrete, chains, 1, execution);
    else chains.set_step(chains.step() + 1);
  }
  return {};
}

}  // namespace harmonium::testing
