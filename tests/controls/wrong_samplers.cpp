#include <harmonium/tests/controls/wrong_samplers.hpp>

#include <algorithm>

#include <harmonium/tests/support/law.hpp>

namespace harmonium::testing {
namespace {

void copy_row(const Layout& layout, const Chains& from, Index from_row, Chains& to, Index to_row) {
  for (const LayerId l : layout.ids()) {
    const ConstMatrixRef x = from.read(l);
    std::copy_n(x.row(from_row), x.cols, to.write(l).row(to_row));
  }
}

}  // namespace

SamplerReport StaleVisible::advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                                    LastMeans*) {
  const Layout& layout = target.model.layout();
  for (Index s = 0; s < steps; ++s) {
    Chains hidden_moved = chains;
    Target part = target;
    const HeldMask visible(layout.observed()), hidden(layout.latent());
    part.held = &visible;
    gibbs_.advance(part, hidden_moved, 1, execution, nullptr);
    part.held = &hidden;
    gibbs_.advance(part, chains, 1, execution, nullptr);
    for (const LayerId l : layout.ids()) {
      if (!layout.latent().contains(l)) continue;
      const ConstMatrixRef from = hidden_moved.read(l);
      std::copy_n(from.data, from.rows * from.cols, chains.write(l).data);
    }
  }
  return {};
}

SamplerReport ScaledField::advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                                   LastMeans*) {
  Target wrong = target;
  wrong.beta = factor_ * target.beta;
  return gibbs_.advance(wrong, chains, steps, execution, nullptr);
}

SamplerReport Forgetful::advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                                 LastMeans*) {
  Target wrong = target;
  if (what_ == What::temperature) {
    wrong.beta = 1.0;
    wrong.ladder = {};
  }
  if (what_ == What::base) wrong.base = nullptr;
  if (what_ == What::held) wrong.held = nullptr;
  return gibbs_.advance(wrong, chains, steps, execution, nullptr);
}

SamplerReport SharedWords::advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                                   LastMeans*) {
  const Layout& layout = target.model.layout();
  for (Index r = 0; r < chains.size(); ++r) {
    Chains one(layout, 1, static_cast<std::uint32_t>(chains.first_chain() + r / sharers_));
    one.set_step(chains.step());
    copy_row(layout, chains, r, one, 0);
    gibbs_.advance(target, one, steps, execution, nullptr);
    copy_row(layout, one, 0, chains, r);
  }
  chains.set_step(chains.step() + steps);
  return {};
}

SamplerReport ReusedWords::advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                                   LastMeans*) {
  const std::uint64_t first = chains.step();
  for (Index s = 0; s < steps; ++s) {
    chains.set_step(first);
    gibbs_.advance(target, chains, 1, execution, nullptr);
  }
  chains.set_step(first + steps);
  return {};
}

SamplerReport LastChainStays::advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                                      LastMeans*) {
  const Layout& layout = target.model.layout();
  Chains last(layout, 1);
  copy_row(layout, chains, chains.size() - 1, last, 0);
  gibbs_.advance(target, chains, steps, execution, nullptr);
  copy_row(layout, last, 0, chains, chains.size() - 1);
  return {};
}

SamplerReport OffByOne::advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                                LastMeans*) {
  exact_.advance(target, chains, steps, execution, nullptr);
  const Layout& layout = target.model.layout();
  std::size_t visible_states = 1;
  const StateSpace space(layout);
  for (std::size_t u = 0; u < space.num_units(); ++u)
    if (layout.observed().contains(space.layer_of(u))) visible_states *= space.states_of(u);
  std::vector<std::size_t> states = space.read(chains);  // visible units come first, so they are the low digits
  for (std::size_t& s : states) s = s / visible_states * visible_states + (s + 1) % visible_states;
  space.put(states, chains);
  Target rest = target;
  const HeldMask visible(layout.observed());
  rest.held = &visible;
  return gibbs_.advance(rest, chains, 1, execution, nullptr);
}

FalselyIndependent::FalselyIndependent(const EnergyModel& inner) : Forwarding(inner) {
  for (const LayerId l : layout().ids()) blocks_.push_back({l, {}, layout()[l].size});
}

void FalselyIndependent::fields(const Block& block, Index begin, Index end, ConstChainView x, const Fields& out) const {
  const BlockConditionals& right = *inner_.block_conditionals();
  for (const Block& own : right.blocks()) {
    if (own.layer != block.layer) continue;
    if (own.whole()) {
      right.fields(own, begin, end, x, out);
      continue;
    }
    for (Index k = 0; k < own.units.size(); ++k) {
      const Index unit = own.units[k];
      if (unit < begin || unit >= end) continue;
      Fields part{out.linear.columns(unit - begin, unit - begin + 1)};
      right.fields(own, k, k + 1, x, part);
    }
  }
}

bool FalselyIndependent::independent(LayerSet free, LayerSet given) const {
  return inner_.block_conditionals()->independent(free, given);
}

void WithoutCorrections::redraw(const Draw& draw, ChainView x) const {
  if (divisible(draw.layer)) {
    inner_.layer_kernel()->redraw(draw, x);
    return;
  }
  const BlockConditionals& conditionals = *inner_.block_conditionals();
  std::vector<const Block*> units;
  for (const Block& block : conditionals.blocks())
    if (block.layer == draw.layer) units.push_back(&block);
  const Index rows = x.rows();
  const MatrixRef state = x[draw.layer];
  for (Index first = 0; first < units.size(); first += 8) {
    const Index last = std::min(first + 8, units.size());
    std::vector<Real> linear(rows * (last - first));
    const MatrixRef field{linear.data(), rows, last - first, last - first};
    for (Index u = first; u < last; ++u)
      conditionals.fields(*units[u], 0, 1, x, {field.columns(u - first, u - first + 1)});
    ConstFields fields{field};
    fields.scale = draw.scale;
    DrawBlock addresses = draw.addresses;
    addresses.first_site += static_cast<std::uint32_t>(first);
    layout()[draw.layer].unit->sample(fields, addresses, state.columns(first, last), {});
  }
}

void CountedTwice::fields(const Block& block, Index begin, Index end, ConstChainView x, const Fields& out) const {
  inner_.block_conditionals()->fields(block, begin, end, x, out);
  if (block.whole()) return;
  const ParameterLayout& parameters = inner_.parameter_layout();
  for (Index k = 0; k < parameters.blocks().size(); ++k) {
    if (parameters[k].symmetry == Symmetry::none || parameters[k].layers[0] != block.layer) continue;
    const ConstMatrixRef w = parameters.view(k, inner_.parameters().data());
    const ConstMatrixRef state = x[block.layer];
    for (Index r = 0; r < state.rows; ++r)
      for (Index u = begin; u < end; ++u)
        for (Index j = 0; j < state.cols; ++j) out.linear(r, u - begin) += state(r, j) * w(j, block.units[u]);
  }
}

}  // namespace harmonium::testing
