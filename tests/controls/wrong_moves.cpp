#include <harmonium/tests/controls/wrong_moves.hpp>

#include <cmath>
#include <random>

namespace harmonium::testing {

SamplerReport WrongFlip::advance(const Target& target, Chains& chains, Index steps, const Execution&, LastMeans*) {
  std::mt19937_64 random(1000 + chains.first_chain());
  std::uniform_real_distribution<double> uniform;
  const BlockConditionals& conditionals = *target.model.block_conditionals();
  for (Index s = 0; s < steps; ++s) {
    for (const Block& block : conditionals.blocks()) {
      std::vector<Real> linear(chains.size() * block.size);
      const Fields fields{{linear.data(), chains.size(), block.size, block.size}};
      conditionals.fields(block, 0, block.size, chains, fields);
      const MatrixRef x = chains.write(block.layer);
      for (Index r = 0; r < chains.size(); ++r) {
        for (Index k = 0; k < block.size; ++k) {
          Real& own = x(r, block.whole() ? k : block.units[k]);
          const double change = own == 0 ? 1.0 : -1.0;
          const double log_ratio = change * static_cast<double>(fields.linear(r, k));
          const double beta = target.beta_of(chains.rung()[r]);
          double p = 0.0;
          switch (how_) {
            case How::right: p = std::exp(beta * log_ratio); break;
            case How::always: p = 1.0; break;
            case How::inverted: p = std::exp(-beta * log_ratio); break;
            case How::root: p = std::exp(0.5 * beta * log_ratio); break;
            case How::halved: p = 0.5 * std::exp(beta * log_ratio); break;
            case How::untempered: p = std::exp(log_ratio); break;
          }
          if (uniform(random) < p) own = own == 0 ? Real{1} : Real{0};
        }
      }
    }
  }
  chains.set_step(chains.step() + steps);
  return {};
}

SamplerReport WrongLangevin::advance(const Target& target, Chains& chains, Index steps, const Execution&, LastMeans*) {
  std::mt19937_64 random(1000 + chains.first_chain());
  std::uniform_real_distribution<double> uniform;
  std::normal_distribution<double> normal;
  const EnergyModel& model = target.model;
  const Index columns = chains.read(LayerId{0}).cols, rows = chains.size();
  const auto slope_of = [&](const Chains& at) {
    std::vector<Real> slope(rows * columns);
    const std::vector<MatrixRef> out{{slope.data(), rows, columns, columns}};
    model.state_gradient()->evaluate(at, out);
    return slope;
  };
  for (Index s = 0; s < steps; ++s) {
    const std::vector<Real> slope = slope_of(chains);
    Chains proposal = chains;
    const MatrixRef x = chains.write(LayerId{0}), y = proposal.write(LayerId{0});
    const double noise = std::sqrt((how_ == How::half_noise ? 1.0 : 2.0) * step_size_);
    for (Index r = 0; r < rows; ++r)
      for (Index c = 0; c < columns; ++c)
        y(r, c) = static_cast<Real>(static_cast<double>(x(r, c)) -
                                    step_size_ * static_cast<double>(slope[r * columns + c]) + noise * normal(random));
    const std::vector<Real> back = how_ == How::stale_slope ? slope : slope_of(proposal);
    std::vector<double> before(rows), after(rows);
    model.energy(chains, before);
    model.energy(proposal, after);
    for (Index r = 0; r < rows; ++r) {
      double log_ratio = before[r] - after[r];
      for (Index c = 0; c < columns && how_ != How::energies_only; ++c) {
        const double move = static_cast<double>(y(r, c)) - static_cast<double>(x(r, c));
        const double there = move + step_size_ * static_cast<double>(slope[r * columns + c]);
        const double again = step_size_ * static_cast<double>(back[r * columns + c]) - move;
        log_ratio += (there * there - again * again) / (4.0 * step_size_);
      }
      if (std::log(uniform(random)) < log_ratio)
        for (Index c = 0; c < columns; ++c) x(r, c) = y(r, c);
    }
  }
  chains.set_step(chains.step() + steps);
  return {};
}

}  // namespace harmonium::testing
