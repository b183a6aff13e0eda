#pragma once

#include <cstdint>
#include <string>

#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/plugin/registries.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What the values of a data set are, for the choice of units: numbers 0 and 1; −1 and 1, or where they are asked for units of
/// several levels; L units of q states, one-hot; gray levels, of which bits can be made; or numbers.
enum class Values { bits, spins, states, gray, real };

/// What `init` makes of a file.
struct Findings {
  Values values = Values::bits;
  Index states = 1;             ///< columns of a unit
  bool image = false;           ///< a sample has two dimensions or more
  bool told = false;            ///< the request says what the values are
  bool made_bits = false;       ///< the request makes bits of values that are none
  double max = 1;               ///< of all values
  double kept = 1;              ///< of gray values' variance, by a threshold; 0: they are none
  bool mixed = false;           ///< columns have scales of their own: nothing more is known of them
  std::string summary() const;  ///< "bits", "sites of 21 states"
  std::string remark() const;   ///< why they are taken as they are; empty: that goes without saying
};

/// What the values of a data set look like, whatever they mean.
Findings first_look(const Dataset& data);
/// Whether a column of numbers at an end of the rows holds their classes: the question, in sentences; empty where none looks so.
std::string question_of_classes(const Dataset& data);
/// What few whole numbers stand for, in sentences; empty where the values are others.
std::string question_of_numbers(const Dataset& data);
/// That columns hold 0 and 1 beside others that hold real numbers, in sentences, and what takes each by its kind; empty where none do.
std::string note_of_scales(const Dataset& data);
/// Whether entries of rows are missing, or classes of some.
bool lacks_some(const Dataset& data);
/// The rows with a column for each state where the configuration asks for units of several and a column is the state of one.
Dataset with_asked_states(const Dataset& data, const Value& asked);
/// Whether columns of numbers may have scales of their own.
enum class Scales : std::uint8_t { of_one_kind, may_be_mixed };
/// Looks at the data. `asked` is a configuration of what the request says: [data] with its settings, and what `--set` gives.
/// Throws ConfigError, saying what has to be decided and how, where an expert could not tell either; of columns of several scales
/// only where these may not be mixed.
Findings look_at(const Dataset& data, const Value& asked, Scales scales = Scales::of_one_kind);

/// A run of some thousands of updates, of a machine that the rows can determine; `source` is the beginning of its [data], and
/// `asked` is as in `look_at`.
Value proposal(const Dataset& data, const Findings& found, Value source, const Value& asked);

/// The most hidden units whose states are all summed over where numbers are missing that have no finite number of states.
inline constexpr Index most_hidden_summed = 16;

/// The same for a table of columns of several kinds: `layers` are those of its columns, `width` columns of numbers in all, and
/// `lacks_numbers` says whether such numbers are missing.
Value table_proposal(Value source, Value layers, Index rows, Index width, bool lacks_numbers);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
