#include <harmonium/estimators/phases/chain_phase.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void ChainPhaseOptions::bind(OptionBinder& o) {
  static constexpr OptionBinder::Choice<ChainStart> starts[] = {{"data", ChainStart::data},
                                                                {"persistent", ChainStart::persistent},
                                                                {"uniform", ChainStart::uniform},
                                                                {"marginals", ChainStart::marginals}};
  o.choice("start", start, starts, "where chains start: at the batch's rows, where the last update left them, or anew");
  o.option("num_chains", num_chains,
           "chains in all; 0 takes as many as the batch has rows (started at the data: always)", at_least(0));
  o.option("gibbs_steps", gibbs_steps, "transitions of the sampler at each update", at_least(1));
  o.option("rao_blackwell", rao_blackwell, "latent units by their conditional means, not by their states");
  o.component("sampler", sampler, "what moves the chains", "gibbs");
}

void ChainPhaseOptions::validate() const {
  if (start == ChainStart::data && num_chains != 0)
    throw ConfigError(
        fmt::format("'num_chains' is {}, but chains that start at the data are as many as the batch has rows. Remove "
                    "it, or set start = \"persistent\".",
                    num_chains));
}

ChainPhase::ChainPhase(Options options) : options_(std::move(options)) {
  if (!options_.sampler) throw ConfigError("phase 'chains': a sampler must be given.");
  if (options_.gibbs_steps == 0) throw ConfigError("phase 'chains': 'gibbs_steps' must be at least 1.");
}

void ChainPhase::check(const EnergyModel& model, Phase phase) const {
  if (phase == Phase::positive)
    throw CapabilityError(
        "phase 'chains': it is a negative phase, whose chains draw from the model. Try 'posterior_mean' or 'exact' for "
        "the positive one.");
  if (options_.start == ChainStart::data && !posterior_factorises(model))
    throw CapabilityError(
        "phase 'chains': a start from the data draws the latent units from their posterior, and they are coupled given "
        "the observed ones. Try start = \"persistent\".");
  options_.sampler->check(Target{model});
}

void ChainPhase::memory(const EnergyModel& model, Phase, Index rows, MemoryNeed& need) const {
  const Layout& layout = model.layout();
  const double chains = static_cast<double>(logical_chains(rows)) * static_cast<double>(options_.sampler->rungs());
  const auto latent = static_cast<double>(layout.columns(layout.latent()));
  const double values = chains * static_cast<double>(layout.columns(layout.all())) * sizeof(Real);
  const char* lower = options_.start == ChainStart::data ? "training.batch_size" : "the estimator's num_chains";
  need.add_state("the chains", values, lower);
  if (options_.rao_blackwell) need.add("the means of the chains' latent units", chains * latent * sizeof(Real), lower);
  if (options_.rao_blackwell)
    need.add_passing("the means, weighed by their rows", chains * latent * sizeof(Real), lower);
  options_.sampler->memory(model, need);
}

Index ChainPhase::logical_chains(Index rows) const {
  return options_.start == ChainStart::data || options_.num_chains == 0 ? rows : options_.num_chains;
}

double ChainPhase::products(const EnergyModel&, Phase, Index rows) const {
  const double steps = options_.sampler->products_per_step() * static_cast<double>(options_.gibbs_steps);
  return static_cast<double>(logical_chains(rows)) * (steps + 1.0);
}

void ChainPhase::draw_marginals(const EnergyModel& model, const DataBatch& data, const Execution& execution) {
  const Layout& layout = model.layout();
  Chains& chains = *chains_;
  Index column = 0;
  for (const LayerId l : layout.ids()) {
    const Layer& layer = layout[l];
    DrawBlock addresses = DrawBlock::of(execution.random, chains.first_chain(), chains.step(), l);
    const MatrixRef state = chains.write(l);
    if (layer.role == Role::latent || data.marginals.empty()) {
      layer.unit->sample_uniform(addresses, state);
      continue;
    }
    const Index width = layer.unit->width();
    std::vector<double> linear(layer.columns());
    for (Index u = 0; u < layer.size; ++u)
      layer.unit->linear_of_mean(data.marginals.subspan(column + u * width, width), 1.0, 1e6,
                                 std::span(linear).subspan(u * width, width));
    column += layer.columns();
    std::vector<Real> row(linear.begin(), linear.end()), ones(row.size(), Real{1});
    ConstFields fields{{row.data(), state.rows, state.cols, 0}};
    if (layer.unit->has_curvature()) fields.curvature = {ones.data(), state.rows, state.cols, 0};
    layer.unit->sample(fields, addresses, state, {});
  }
  if (!posterior_factorises(model)) return;
  Posterior posterior;
  posterior.sample(model, chains, execution.random.child("latent"), chains, execution.executor);
}

void ChainPhase::start(const EnergyModel& model, const DataBatch& data, const Execution& execution) {
  const Layout& layout = model.layout();
  const Index batch = data.rows.size(), rungs = options_.sampler->rungs();
  if (restored_) {
    const auto rows = std::get<std::vector<std::uint64_t>>(restored_->at("num_rows")).at(0);
    chains_.emplace(layout, rows);
    StateArchive archive(std::move(*restored_));
    chains_->state(archive);
    restored_.reset();
  }
  const bool persistent = options_.start == ChainStart::persistent;
  const Index wanted = logical_chains(batch);
  const bool fresh = !chains_ || (!persistent && chains_->size() != wanted * rungs);
  if (fresh) {
    const std::uint64_t step = chains_ ? chains_->step() : 0;
    chains_.emplace(layout, wanted * rungs);
    chains_->set_step(step);
  }
  if (persistent && !fresh) return;
  for (Index r = 0; r < chains_->size(); ++r) chains_->rung()[r] = static_cast<std::uint32_t>(r % rungs);

  const Execution starting = execution.part("start");
  if (options_.start == ChainStart::uniform) {
    for (const LayerId l : layout.ids())
      layout[l].unit->sample_uniform(DrawBlock::of(starting.random, chains_->first_chain(), chains_->step(), l),
                                     chains_->write(l));
  } else if (options_.start == ChainStart::data) {
    for (const LayerId l : layout.ids()) {
      if (layout[l].role != Role::observed) continue;
      const ConstMatrixRef from = data.rows.read(l);
      const MatrixRef to = chains_->write(l);
      for (Index r = 0; r < to.rows; ++r) std::copy(from.row(r / rungs), from.row(r / rungs) + from.cols, to.row(r));
    }
    if (rungs == 1) {
      data.posterior.sample(model, data.rows, starting.random, *chains_, execution.executor);
    } else {
      Posterior posterior;
      posterior.sample(model, *chains_, starting.random, *chains_, execution.executor);
    }
  } else {
    draw_marginals(model, data, starting);
  }
}

PhaseReport ChainPhase::accumulate(const EnergyModel& model, const DataBatch& data, Phase, double scale,
                                   std::span<Real> gradient, const Execution& execution) {
  start(model, data, execution);
  Chains& chains = *chains_;
  const Layout& layout = model.layout();
  const Index rows = chains.size(), rungs = options_.sampler->rungs();

  const bool means = options_.rao_blackwell && model.factorised_expectation();
  LastMeans last;
  if (means) {
    mean_.resize(layout.size());
    second_.resize(layout.size());
    last.states = options_.start == ChainStart::persistent;
    last.mean.resize(layout.size());
    last.second.resize(layout.size());
    for (const LayerId l : layout.ids()) {
      if (layout[l].role != Role::latent) continue;
      const auto i = static_cast<Index>(l);
      const Index columns = layout[l].columns();
      mean_[i].resize(rows * columns);
      last.mean[i] = {mean_[i].data(), rows, columns, columns};
      if (!layout[l].unit->has_curvature()) continue;
      second_[i].resize(rows * columns);
      last.second[i] = {second_[i].data(), rows, columns, columns};
    }
  }
  PhaseReport report;
  report.sampler = options_.sampler->advance(Target{model}, chains, options_.gibbs_steps, execution.part("sampler"),
                                             means ? &last : nullptr);

  // Of a ladder only the rows at the target's own temperature count; a start from the data keeps the data's weights.
  const Index logical = rows / rungs;
  std::vector<double> weights(rows, 0.0);
  const bool by_row = options_.start == ChainStart::data;
  const double total = data.total_weight();
  for (Index r = 0; r < rows; ++r) {
    if (chains.rung()[r] != 0) continue;
    weights[r] = scale * (by_row ? data.weights[r / rungs] : total / static_cast<double>(logical));
  }

  report.method = fmt::format("{} chains, {} steps", logical, options_.gibbs_steps);
  if (!means) {
    model.add_gradient(chains, weights, gradient, execution.executor);
    return report;
  }
  Posterior conditional;  // for a sampler that leaves no means behind
  Moments q;
  if (last.filled.empty() && posterior_factorises(model) && !layout.latent().empty()) {
    q = conditional.moments(model, chains, execution.executor);
  } else {
    for (const LayerId l : layout.ids()) {
      const auto i = static_cast<Index>(l);
      const bool filled = last.filled.contains(l);
      q.mean.push_back(filled ? ConstMatrixRef(last.mean[i]) : chains.read(l));
      q.second.emplace_back();
      if (!layout[l].unit->has_curvature()) continue;
      if (!filled) {
        second_[i].resize(rows * layout[l].columns());
        const ConstMatrixRef x = chains.read(l);
        std::transform(x.data, x.data + x.rows * x.cols, second_[i].begin(), [](Real v) { return v * v; });
      }
      q.second.back() = {second_[i].data(), rows, layout[l].columns(), layout[l].columns()};
    }
  }
  model.factorised_expectation()->add_gradient(q, weights, gradient, execution.executor);
  return report;
}

void ChainPhase::state(StateArchive& archive) {
  // Chains that no update has touched yet have no state; a resumed phase learns their size from the saved one.
  if (archive.loading()) {
    StateArchive::Fields fields;
    const std::string mark = archive.prefix() + "chains/";
    for (const auto& entry : archive.fields())
      if (entry.first.starts_with(mark)) fields[entry.first.substr(mark.size())] = entry.second;
    if (!fields.empty()) restored_ = std::move(fields);
  } else if (chains_) {
    archive.group("chains", *chains_);
  } else if (restored_) {  // saved again before the first update
    for (auto& entry : *restored_)
      std::visit([&](auto& values) { archive.field("chains/" + entry.first, values); }, entry.second);
  }
  archive.group("sampler", *options_.sampler);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
