#include <algorithm>
#include <numeric>

#include <harmonium/models/layered.hpp>
#include <harmonium/models/terms/lattice.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Moments of the rest given the kept layers; of jointly normal units the covariances too, which are the same for all rows.
class LayeredFreeEnergy::RestMoments {
 public:
  RestMoments(const LayeredModel& model, LayerSet kept, ConstChainView x)
      : model_(model),
        layout_(model.layout()),
        kept_(kept),
        coupled_(ContinuousLaw::coupled_gaussians(model, model.layout().all() - kept)),
        x_(x),
        law_(coupled_.empty() ? nullptr : &model.law_.joint(model, coupled_, own_)),
        covariance_(law_ ? law_->covariance() : std::vector<double>()),
        at_(ContinuousLaw::columns(model, coupled_)),
        means_(layout_.size()),
        seconds_(layout_.size()) {
    const Index rows = x.rows();
    for (const LayerId l : layout_.ids()) {
      const auto i = static_cast<Index>(l);
      const Index columns = layout_[l].columns();
      if (!kept.contains(l)) means_[i].resize(rows * columns);
      q_.mean.push_back(kept.contains(l) ? x[l] : ConstMatrixRef{means_[i].data(), rows, columns, columns});
      if (layout_[l].unit->has_curvature()) seconds_[i].resize(rows * columns);
      q_.second.push_back(seconds_[i].empty() ? ConstMatrixRef{}
                                              : ConstMatrixRef{seconds_[i].data(), rows, columns, columns});
    }
  }

  /// Finds those of rows [begin, end).
  void find(Index begin, Index end) {
    const ExactRows part(ConstChainView(*x_.chains, x_.begin + begin, x_.begin + end));
    std::vector<double> work;
    for (const LayerId l : layout_.ids()) {
      if (kept_.contains(l)) square_kept(l, begin, end);
      else if (!coupled_.contains(l)) find_layer(l, part, begin, end, work);
    }
    if (law_) find_coupled(part, begin, end, work);
  }
  const Moments& moments() const { return q_; }
  bool any_coupled() const { return law_ != nullptr; }

  /// What the covariances of jointly normal units add to the gradient, for rows of this total weight.
  void add_covariances(double total, std::span<Real> gradient) const {
    for (const auto& t : model_.terms())
      if (const LatticeTerm* lattice = gaussian_lattice(*t, layout_); lattice && coupled_.contains(lattice->layer())) {
        const Index first = at_[static_cast<Index>(lattice->layer())], n = law_->size();
        const Index columns = layout_[lattice->layer()].columns();
        lattice->subtract_covariances(total, {&covariance_[first * n + first], columns, columns, n}, gradient);
      }
    for (const EnergyTerm::Bilinear& c : model_.couplings_) {
      if (!coupled_.contains(c.a) || !coupled_.contains(c.b)) continue;
      const MatrixRef out = c.w.of(gradient.data());
      const Index first_row = at_[static_cast<Index>(c.a)], first_column = at_[static_cast<Index>(c.b)];
      for (Index i = 0; i < out.rows; ++i)
        for (Index j = 0; j < out.cols; ++j)
          if (!c.lateral() || i != j)
            out(i, j) -= static_cast<Real>(total * covariance_[(first_row + i) * law_->size() + first_column + j]);
    }
  }

 private:
  static MatrixView<double> workspace(std::vector<double>& work, Index rows, Index columns) {
    work.resize(rows * columns);
    return {work.data(), rows, columns, columns};
  }

  void square_kept(LayerId l, Index begin, Index end) {
    const auto i = static_cast<Index>(l);
    const Index columns = layout_[l].columns();
    for (Index r = begin; !seconds_[i].empty() && r < end; ++r)
      for (Index c = 0; c < columns; ++c) seconds_[i][r * columns + c] = q_.mean[i](r, c) * q_.mean[i](r, c);
  }

  /// Of a layer whose units are independent given the kept ones.
  void find_layer(LayerId l, const ExactRows& part, Index begin, Index end, std::vector<double>& work) {
    const auto i = static_cast<Index>(l);
    const UnitType& unit = *layout_[l].unit;
    const Index columns = layout_[l].columns(), rows = end - begin, first = begin * columns;
    model_.kept_fields(l, kept_, part, workspace(work, rows, columns));
    std::copy_n(work.begin(), rows * columns, means_[i].begin() + static_cast<std::ptrdiff_t>(first));
    const MatrixRef mean{&means_[i][first], rows, columns, columns};
    ConstFields fields{mean};
    std::vector<Real> gamma;
    if (unit.has_curvature()) {
      gamma = model_.precisions(l, 0, columns);
      fields.curvature = {gamma.data(), rows, columns, 0};
      unit.moments(fields, {}, {&seconds_[i][first], rows, columns, columns});
    }
    unit.moments(fields, mean, {});
  }

  void find_coupled(const ExactRows& part, Index begin, Index end, std::vector<double>& work) {
    const MatrixView<double> joint = workspace(work, end - begin, law_->size());
    ContinuousLaw::fields(model_, coupled_, kept_, part, joint);
    law_->means(joint);
    for (const LayerId l : layout_.ids()) {
      if (!coupled_.contains(l)) continue;
      const auto i = static_cast<Index>(l);
      const Index columns = layout_[l].columns();
      for (Index r = 0; r < joint.rows; ++r) {
        for (Index c = 0; c < columns; ++c) {
          const Index at = at_[i] + c;
          const double mean = joint(r, at), variance = covariance_[at * law_->size() + at];
          means_[i][(begin + r) * columns + c] = static_cast<Real>(mean);
          seconds_[i][(begin + r) * columns + c] = static_cast<Real>(mean * mean + variance);
        }
      }
    }
  }

  const LayeredModel& model_;
  const Layout& layout_;
  LayerSet kept_, coupled_;
  ConstChainView x_;
  std::optional<JointGaussian> own_;
  const JointGaussian* law_;  ///< null: no units are coupled
  std::vector<double> covariance_;
  std::vector<Index> at_;
  std::vector<std::vector<Real>> means_, seconds_;
  Moments q_;
};

void LayeredFreeEnergy::add_gradient(LayerSet kept, ConstChainView x, std::span<const double> weights,
                                     std::span<Real> gradient, const Executor& executor) const {
  RestMoments rest(model_, kept, x);
  executor.for_each_piece(x.rows(), 128, [&](Index begin, Index end) { rest.find(begin, end); });
  model_.add_gradient(rest.moments(), weights, gradient, executor);
  if (!rest.any_coupled()) return;
  rest.add_covariances(std::accumulate(weights.begin(), weights.end(), 0.0), gradient);
  model_.finish_gradient(gradient);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
