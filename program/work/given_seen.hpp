#pragma once

#include <optional>
#include <string>
#include <vector>

#include <harmonium/framework/core/function_ref.hpp>
#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/files/model_header.hpp>
#include <harmonium/framework/plugin/registries.hpp>
#include <harmonium/program/work/data_units.hpp>
#include <harmonium/program/work/files_beside_means.hpp>
#include <harmonium/program/work/requests.hpp>
#include <harmonium/program/work/seen_means.hpp>
#include <harmonium/program/work/transform_way.hpp>
#include <harmonium/program/work/truth_score.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// That --steps or --chains were given, and no row runs chains.
void tell_no_chains(const TransformRequest& request);

/// What `transform` writes of rows with holes: p(class | seen), E[h | seen] of a latent layer, or all that is observed, completed by
/// E[missing | seen], in the units of the data.
class GivenSeen {
 public:
  /// `way` is one that fits_holes. What is referred to must outlive it. Throws ConfigError for what --clamp does not say, and
  /// CapabilityError where what rows lack cannot be found.
  GivenSeen(const TransformRequest& request, const ModelHeader& header, const EnergyModel& model, LayerId layer,
            TransformWay way, const Dataset& data, const Registries& registries);
  GivenSeen(const GivenSeen&) = delete;
  GivenSeen& operator=(const GivenSeen&) = delete;

  /// What is filled in is judged by these rows, which must outlive it. Throws ConfigError where they are not as many.
  void judge_by(const Dataset& truth);
  /// How near it is, a table; empty where nothing judges it.
  std::string judgment() const { return score_ ? score_->text() : ""; }
  /// --output, and --errors and --spread where they are asked for.
  void write(const Execution& execution);
  /// Of the numbers.
  Index columns() const;
  /// Of --output.
  Index columns_written() const;
  /// How it was found, for the line that is printed.
  std::string words() const;

 private:
  bool complete() const { return way_ == TransformWay::completed; }
  bool classes() const { return way_ == TransformWay::classes; }
  std::vector<std::string> names() const;
  std::string words_of_chains() const;
  std::string words_of_files() const;
  /// Means of the rows from `first` on as the file has them.
  Matrix<Real> completed(const Matrix<double>& means, Index first) const;
  /// --output as the file of the data has rows: words in place of probabilities.
  void write_likeliest(const Execution& execution);
  /// Those of --errors and --spread.
  FilesBesideMeans files_beside() const;
  /// Calls `write` for the means of some rows after the other, and writes their errors where these are asked for.
  void for_each_piece(const Execution& execution, FunctionRef<void(const Matrix<double>& means, Index first)> write);

  const TransformRequest& request_;
  const ModelHeader& header_;
  const EnergyModel& model_;
  LayerId layer_;
  TransformWay way_;
  const Dataset& data_;
  DataUnits units_;
  Clamp clamp_;
  SeenMeans means_;
  std::optional<TruthScore> score_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
