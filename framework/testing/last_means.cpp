#include <harmonium/framework/testing/last_means.hpp>

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <harmonium/framework/inference/rungs.hpp>
#include <harmonium/framework/testing/differences.hpp>
#include <harmonium/framework/testing/sampler_suite.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {
namespace {

/// Matrices for the first and second moments of all layers, and what asks for them.
struct WantedMeans {
  explicit WantedMeans(const Layout& layout, Index rows) : mean(layout.size()), second(layout.size()) {
    last.mean.resize(layout.size());
    last.second.resize(layout.size());
    for (const LayerId l : layout.ids()) {
      const auto i = static_cast<Index>(l);
      const Index columns = layout[l].columns();
      mean[i].resize(rows * columns);
      last.mean[i] = {mean[i].data(), rows, columns, columns};
      if (!layout[l].unit->has_curvature()) continue;
      second[i].resize(rows * columns);
      last.second[i] = {second[i].data(), rows, columns, columns};
    }
  }
  std::vector<std::vector<Real>> mean, second;
  LastMeans last;
};

class LastMeansCheck {
 public:
  /// Logical chains, more than one tile of them.
  static constexpr Index num_chains = 300;
  LastMeansCheck(const std::function<std::unique_ptr<Sampler>()>& make, const EnergyModel& model)
      : make_(make), model_(model), layout_(model.layout()), rungs_(make()->rungs()) {}

  bool left_any() const { return left_any_; }
  std::string complaint(double beta) {
    const Chains start = begin();
    Chains bare = start, chains = start, undrawn = start;
    WantedMeans wanted(layout_, start.size()), alone(layout_, start.size());
    alone.last.states = false;
    advance(bare, beta, nullptr);
    advance(chains, beta, &wanted.last);
    advance(undrawn, beta, &alone.last);
    if (wanted.last.filled.empty()) return "";
    left_any_ = true;
    if (!same_chains(bare, chains, layout_)) return "chains end elsewhere where the means are asked for";
    for (const Block& block : model_.block_conditionals()->blocks()) {
      if (!wanted.last.filled.contains(block.layer)) continue;
      if (std::string why = compare(block, chains, beta, wanted); !why.empty()) return why;
      const auto i = static_cast<Index>(block.layer);
      if (alone.last.filled.contains(block.layer) && alone.mean[i] != wanted.mean[i])
        return fmt::format("the means of layer '{}' are other ones where its states are not asked for",
                           layout_[block.layer].name);
    }
    return "";
  }

 private:
  static constexpr Index steps = 2;
  Chains begin() const {
    Chains chains = random_rows(layout_, num_chains * rungs_, 151);
    assign_rungs(chains, rungs_);
    return chains;
  }
  void advance(Chains& chains, double beta, LastMeans* last) const {
    const Executor executor(1);
    Target target{model_};
    target.beta = beta;
    make_()->advance(target, chains, steps, {executor, {47, 53}}, last);
  }
  std::string compare(const Block& block, const Chains& chains, double beta, const WantedMeans& wanted) const {
    const Layer& layer = layout_[block.layer];
    const Index width = layer.unit->width(), columns = block.size * width, rows = chains.size();
    std::vector<Real> linear(rows * columns), curvature(layer.unit->has_curvature() ? linear.size() : 0),
        mean(linear.size()), second(curvature.size());
    Fields fields{{linear.data(), rows, columns, columns}};
    if (!curvature.empty()) fields.curvature = {curvature.data(), rows, columns, columns};
    model_.block_conditionals()->fields(block, 0, block.size, chains, fields);
    const std::vector<Real> scale(rows, static_cast<Real>(beta));
    fields.scale = scale.data();
    layer.unit->moments(fields, {mean.data(), rows, columns, columns},
                        second.empty() ? MatrixRef{} : MatrixRef{second.data(), rows, columns, columns});
    const auto i = static_cast<Index>(block.layer);
    const double rounding = 1e3 * static_cast<double>(std::numeric_limits<Real>::epsilon());
    for (Index r = 0; r < rows; ++r) {
      if (chains.rung()[r] != 0) continue;  // of the others the sampler alone knows the temperature
      for (Index k = 0; k < columns; ++k) {
        const Index column = (block.whole() ? k / width : block.units[k / width]) * width + k % width;
        const auto differs = [&](const char* what, const std::vector<MatrixRef>& left, const std::vector<Real>& law) {
          const auto told = static_cast<double>(left[i](r, column)), own = static_cast<double>(law[r * columns + k]);
          if (std::abs(told - own) <= rounding * (1.0 + std::abs(own))) return std::string();
          return fmt::format(
              "layer '{}', column {}, row {} at beta {}: it leaves {} = {:.6g} behind, and the "
              "conditional at the chain's end has {:.6g}",
              layer.name, column, r, beta, what, told, own);
        };
        if (std::string why = differs("E[x]", wanted.last.mean, mean); !why.empty()) return why;
        if (second.empty()) continue;
        if (std::string why = differs("E[x^2]", wanted.last.second, second); !why.empty()) return why;
      }
    }
    return "";
  }

  const std::function<std::unique_ptr<Sampler>()>& make_;
  const EnergyModel& model_;
  const Layout& layout_;
  Index rungs_;
  bool left_any_ = false;
};

}  // namespace

void check_last_means(const std::function<std::unique_ptr<Sampler>()>& make, const EnergyModel& model,
                      CheckReport& report) {
  if (!model.block_conditionals()) return;
  LastMeansCheck check(make, model);
  std::string complaint = check.complaint(1.0);
  if (complaint.empty()) complaint = check.complaint(0.5);
  if (!check.left_any()) return;
  report.judge("means left behind", complaint,
               fmt::format("those of {} chains as they are left, at beta 1 and 0.5; asking for them moves no chain",
                           LastMeansCheck::num_chains));
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
