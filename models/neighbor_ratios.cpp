// The log ratios of neighbors of a row, which differ from it in one unit, with other layers summed out: changing a unit moves
// the fields of the summed layers by rows of W, so that a neighbor costs as much as their log partition, and no matrix
// product.
#include <algorithm>

#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/models/layered.hpp>
#include <harmonium/models/unit_moves.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

template <class T>
std::vector<T> LayeredModel::couplings_of(LayerId layer, std::span<const Index> columns, LayerId other) const {
  std::vector<T> joined;
  for (const EnergyTerm::Bilinear& c : couplings_) {
    if (c.lateral() || !((c.a == layer && c.b == other) || (c.b == layer && c.a == other))) continue;
    const ConstMatrixRef w = values(c);
    const bool first = c.a == layer;
    const Index width = first ? w.cols : w.rows;
    joined.resize(columns.size() * width);  // zeros the first time: several terms may couple the two
    for (Index i = 0; i < columns.size(); ++i)
      for (Index j = 0; j < width; ++j)
        joined[i * width + j] += static_cast<T>(first ? w(columns[i], j) : w(j, columns[i]));
  }
  return joined;
}

template std::vector<double> LayeredModel::couplings_of(LayerId, std::span<const Index>, LayerId) const;
template std::vector<float> LayeredModel::couplings_of(LayerId, std::span<const Index>, LayerId) const;

bool LayeredFreeEnergy::from_differences(LayerSet kept) const {
  const LayerSet rest = model_.layout().all() - kept;
  return model_.bilinear_only(rest) && ContinuousLaw::coupled_gaussians(model_, rest).empty();
}

/// Of rows of x in units of one layer.
class NeighborRatios {
 public:
  NeighborRatios(const LayeredModel& model, LayerSet kept, double beta, ConstChainView x, LayerId layer,
                 std::span<const Index> units)
      : model_(model),
        kept_(kept),
        x_(x),
        exact_(x),
        layer_(layer),
        units_(units),
        moves_(*model.layout()[layer].unit),
        beta_(beta),
        scale_(std::max(x.rows(), together), beta) {
    for (const Index u : units)
      for (Index c = 0; c < moves_.width(); ++c) own_columns_.push_back(u * moves_.width() + c);
  }
  /// The kept layers' part: out(r, i) = β Σ_c [f_c Δx_c − ½ γ_c Δ(x_c²)].
  void set_kept_part(MatrixView<double> out) const;
  /// Adds a summed layer's log partition beside the neighbor less that beside the row.
  void add_summed_part(LayerId summed, MatrixView<double> out) const;

 private:
  static constexpr Index together = 64;
  Index first_column(Index neighbor) const { return units_[neighbor / moves_.states()] * moves_.width(); }
  Index state(Index neighbor) const { return neighbor % moves_.states(); }
  /// sums = the log partition of the rows of `linear`.
  void log_partitions(LayerId summed, std::span<const double> gamma, MatrixView<double> linear,
                      std::span<double> sums) const;

  const LayeredModel& model_;
  LayerSet kept_;
  ConstChainView x_;
  ExactRows exact_;
  LayerId layer_;
  std::span<const Index> units_;
  UnitMoves moves_;
  double beta_;
  std::vector<double> scale_;
  std::vector<Index> own_columns_;
};

void NeighborRatios::set_kept_part(MatrixView<double> out) const {
  const ConstMatrixRef own = x_[layer_];
  Matrix<double> field = zeros<double>(own.rows, own.cols);
  model_.own_fields(layer_, kept_, exact_, as_matrix(field));
  const std::vector<double> curvature = model_.exact_precisions(layer_), values = moves_.values();
  const Index width = moves_.width(), states = moves_.states();
  for (Index r = 0; r < out.rows; ++r) {
    const double* const of_row = row_of(field, r).data();
    double* to = out.row(r);
    for (const Index unit : units_) {
      for (Index s = 0; s < states; ++s) {
        double sum = 0.0;
        for (Index k = 0; k < width; ++k) {
          const Index at = unit * width + k;
          const double before = static_cast<double>(own(r, at)), after = values[s * width + k];
          sum += of_row[at] * (after - before) - 0.5 * curvature[at] * (after * after - before * before);
        }
        *to++ = beta_ * sum;
      }
    }
  }
}

void NeighborRatios::log_partitions(LayerId summed, std::span<const double> gamma, MatrixView<double> linear,
                                    std::span<double> sums) const {
  const UnitType& type = *model_.layout()[summed].unit;
  BasicFields<const double> fields{linear};
  fields.scale = scale_.data();
  if (type.has_curvature()) fields.curvature = {gamma.data(), linear.rows, linear.cols, 0};
  std::ranges::fill(sums, 0.0);
  type.add_log_partition(fields, sums);
}

void NeighborRatios::add_summed_part(LayerId summed, MatrixView<double> out) const {
  const std::vector<double> w = model_.couplings_of<double>(layer_, own_columns_, summed);
  if (w.empty()) return;
  const ConstMatrixRef own = x_[layer_];
  const Index columns = model_.layout()[summed].columns();
  Matrix<double> fields = zeros<double>(own.rows, columns), moved = zeros<double>(together, columns);
  const std::vector<double> gamma = model_.exact_precisions(summed);
  std::vector<double> as_it_is(own.rows), beside(together);
  model_.kept_fields(summed, kept_, exact_, as_matrix(fields));
  log_partitions(summed, gamma, as_matrix(fields), as_it_is);
  std::vector<Index> which;
  for (Index r = 0; r < own.rows; ++r) {
    const auto flush = [&] {
      log_partitions(summed, gamma, as_matrix(moved).slice(0, which.size()), std::span(beside).first(which.size()));
      for (Index k = 0; k < which.size(); ++k) out(r, which[k]) += beside[k] - as_it_is[r];
      which.clear();
    };
    for (Index i = 0; i < out.cols; ++i) {
      if (!moves_.moves(own.row(r), first_column(i), state(i))) continue;
      moves_.move_field(own.row(r), first_column(i), state(i), &fields(r, 0),
                        &w[i / moves_.states() * moves_.width() * columns], columns, &moved(which.size(), 0));
      which.push_back(i);
      if (which.size() == together) flush();
    }
    if (!which.empty()) flush();
  }
}

void LayeredFreeEnergy::log_ratios(const Layout&, LayerSet kept, double beta, ConstChainView x, LayerId layer,
                                   std::span<const Index> units, MatrixView<double> out) const {
  if (!from_differences(kept)) {
    FreeEnergy::log_ratios(model_.layout(), kept, beta, x, layer, units, out);
    return;
  }
  const NeighborRatios ratios(model_, kept, beta, x, layer, units);
  ratios.set_kept_part(out);
  for (const LayerId l : model_.layout().ids())
    if (!kept.contains(l)) ratios.add_summed_part(l, out);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
