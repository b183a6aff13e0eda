#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/inference/sampler.hpp>
#include <harmonium/framework/model/chains.hpp>
#include <harmonium/framework/model/held_mask.hpp>
#include <harmonium/program/work/data_units.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The file of rows that a --clamp names, of which options may stand behind a colon; empty where it names units.
std::string file_of_clamp(const std::string& text);

/// One entry of --clamp.
struct ClampEntry {
  std::string given;  ///< in the words of the command line, for messages
  std::string text;   ///< in those of the layout
};

/// What `harmonium sample --clamp` holds fixed: units of any layer, or the seen entries of rows of data.
///   label=3            the unit of layer `label` in state 3 (of a binary unit: 1, of a Gaussian one: 2.5, …)
///   visible[5]=1       unit 5 of a layer, counted from 0
///   visible[0:392]=0   units 0 to 391
///   label=each         sample i in state i of the unit, from the first again after the last
///   FILE               or FILE:KEY=VALUE,KEY=VALUE with options, as of --data: row i of the samples holds what row i of the
///                      file (from the start again at its end) has seen
///   label=free         units that FILE holds and that are drawn all the same, wherever it stands
/// Each unit has one value: from the file's rows, as far as these are not left free, or from one of the others.
class Clamp {
 public:
  /// Reads the rows of FILE or FILE:KEY=VALUE as the model observes them; its label columns may be absent.
  using Reader = std::function<Dataset(const std::string& text)>;
  /// Throws ConfigError where a layer, a unit or a state does not exist, where continuous units are to go through states,
  /// where two files or two layers that go through states are given, or where a unit is given twice.
  /// Values of observed layers are in the units of the data, as in a file; null: in the model's.
  Clamp(const std::vector<ClampEntry>& entries, const Layout& layout, const DataUnits* units, const Reader& read);

  bool empty() const { return fixed_.empty() && !rows_; }
  bool has_rows() const { return rows_.has_value(); }
  /// After how many samples the held units are those of the first again: the rows of the file; 1 without one.
  Index period() const { return rows_ ? rows_->rows() : 1; }
  /// How many states the units of LAYER=each go through; 0: there are none.
  Index states() const;
  /// Writes what is held into chains of which the first belongs to sample `first_sample`; each sample has `rungs` rows.
  /// Units that go through their states stay in each for `block` samples.
  void write(Chains& chains, Index first_sample, Index rungs, Index block = 1) const;
  /// Writes what is held of observed units into samples from the first on, in the units of the file: as it was given, and not as
  /// the way to the model's units and back rounds it. Row 0 is sample `first_sample`.
  void write_as_given(MatrixRef samples, const DataUnits& units, Index first_sample = 0) const;
  /// The same units, as a mask for `samples` samples.
  HeldMask mask(Index first_sample, Index samples, Index rungs) const;
  /// What is to be told where rows of the file hold their class, given which the rest of them is drawn; empty: nothing.
  std::string held_class_remark() const;
  /// What is to be told where not all rows of the file are held in as many of `samples` samples; empty: nothing.
  std::string unequal_rows_remark(Index samples) const;

 private:
  struct Fixed {
    LayerId layer;
    Index begin, end;                  ///< units
    std::vector<Real> values;          ///< of their columns, one unit after the other
    Index states = 0;                  ///< those they go through, with as many lots of values; 0: the one
    std::optional<double> given = {};  ///< in the units of the file, where these are observed units of one column
    bool free = false;                 ///< not held, though the file's rows have them; without values
    ClampEntry entry = {};
  };
  /// Throws ConfigError with the reason.
  using Refuse = std::function<void(const std::string& why)>;
  Fixed parse(const ClampEntry& entry, const DataUnits* units) const;
  Fixed parse_units(std::string name, const Refuse& refuse) const;
  void check_given_once() const;
  void check_beside_rows() const;
  void hold_state(Fixed& fixed, double value, const Refuse& refuse) const;
  void hold_each(Fixed& fixed, const Refuse& refuse) const;
  void hold_value(Fixed& fixed, double value, const DataUnits* units, const Refuse& refuse) const;
  void write_rows_as_given(MatrixRef samples, const DataUnits& units, Index first_sample) const;
  /// 1 for the columns of a row of the file that it holds, else 0.
  void held_columns(Index row, std::span<std::uint8_t> held) const;
  bool has_labels() const { return rows_->cols() == layout_->columns(layout_->observed()); }

  const Layout* layout_;
  std::vector<Fixed> fixed_, left_free_;
  std::optional<Dataset> rows_;
  std::string file_;  ///< of the rows, as it was given
};

/// Sampler::check of `target` with what is held of each of `samples` samples, which may be other units in each.
void check_held(const Sampler& sampler, Target target, const Clamp& clamp, Index samples);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
