#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/run/request.hpp>
#include <harmonium/program/work/diagnosis.hpp>
#include <harmonium/program/work/evaluations.hpp>

namespace harmonium {
inline namespace v1 {

/// A file of data: its path, and its SHA-256.
using DataSum = std::pair<std::string, std::string>;
/// A run that could be: its effective configuration, what it is estimated to hold in memory at its peak, what it reads, and how
/// much it computes, without what observers measure.
struct AssembledRun {
  Value config;
  double bytes = 0.0;
  std::vector<DataSum> data = {};
  double updates = 0.0, operations_per_update = 0.0;
  std::vector<std::string> left_out = {};  ///< of options that another component's type has left, a sentence each
  std::string dear_likelihood = {};        ///< why it has no log likelihood that more operations would give; else empty
  std::string holes_in = {};  ///< the data, or the first part of it, of which entries are missing; else empty
};

/// The seconds that a run takes, by an estimate.
struct RunSeconds {
  double updates = 0.0;  ///< all of them
  double along = 0.0;    ///< what observers measure, and pictures before the end
  double end = 0.0;      ///< what is drawn and found at the end
  bool at_most = false;  ///< it may stop early
};

/// The run of the next machine of a stack.
struct PassedUp {
  Value config;             ///< complete
  bool transposed = false;  ///< whether it starts with the couplings of the machine below
};

/// What a column of a data file holds, and what is made of it.
struct InspectedColumn {
  std::string name = {};
  std::string kind = {};                                ///< binary, spin, categorical, whole, real, text, classes
  std::string units = {};                               ///< proposed; empty: none, so that the column is to be left out
  std::uint64_t missing = 0;                            ///< rows in which nothing stands
  std::optional<double> min = {}, max = {}, mean = {};  ///< of numbers
  /// Its levels, each with the rows that have it; empty where they are many.
  std::vector<std::pair<std::string, std::uint64_t>> levels = {};
  std::string trouble = {};  ///< why it is no column of units; empty: it is one
  bool constant = false;
};

/// What a data file holds.
struct Inspection {
  std::string name = {}, type = {};  ///< the file, and the data.type that reads it
  std::uint64_t num_rows = 0;
  std::vector<std::uint64_t> shape = {};        ///< dimensions of a row
  bool named = false;                           ///< whether the file gives its columns names
  std::vector<InspectedColumn> columns = {};    ///< without that of the classes
  std::optional<InspectedColumn> classes = {};  ///< where the data has them
  std::string summary = {};                     ///< what the values are: "bits", "columns of several kinds"
  std::vector<std::string> warnings = {};
  Value proposed = {};  ///< a configuration by which a model can be trained
};

/// What a study came to.
struct StudyOutcome {
  std::string folder;
  std::string text;  ///< its findings; empty where it was stopped by a signal, to go on when it is asked for again
  std::uint64_t done = 0, total = 0;
  std::string parts = "runs";  ///< what these are
};

/// A picture that was written.
struct DrawnPicture {
  std::string path, caption;
};

/// The singular values of a coupling of two layers, or within one.
struct WeightSpectrum {
  std::string tensor;
  std::uint64_t rows = 0, cols = 0;
  std::vector<double> values;  ///< all, descending; none where the smaller side has more than 2,000
  /// What the largest would be of independent entries of the same mean square (Marchenko & Pastur 1967).
  double edge = 0.0;
};

/// The figures of `gradient` for one tensor, or for all together.
struct GradientComparison {
  std::string name;
  double norm = 0.0;               ///< of the mean estimate
  std::optional<double> variance;  ///< of one estimate, summed over the entries; with two repeats or more
  std::optional<double> bias, against_norm, cosine, sign_disagreement;  ///< of the mean, against the other gradient
  std::optional<double> noise;  ///< √(variance/repeats), what the scatter of the mean alone makes of a bias of 0
};

/// How an estimator came by one of its two expectations.
struct PhaseUsed {
  std::string method;  ///< in words
  bool exact = false;  ///< of this model and this data
};

/// What `gradient` found.
struct GradientFigures {
  std::vector<GradientComparison> tensors;  ///< all together last
  /// Of the first repeat. No negative phase: the estimator follows a loss that needs none. No positive one: it is not apart.
  std::optional<PhaseUsed> positive, negative;
  std::optional<std::uint64_t> own_rows = {};  ///< training rows of the model's run, where these are the data
};

/// A component that there is.
struct ComponentDescription {
  std::string kind, name, summary, origin;
  std::vector<OptionInfo> options;
  std::function<std::string()> stands_for;  ///< of a preset of models, for people; empty for what is none
};

/// A plugin that was found: what it provides, or why it cannot be loaded.
struct PluginListing {
  std::string path, name, version, summary;
  bool given = false;  ///< as a file, and not found in a folder
  unsigned real_bits = 64;
  std::vector<ComponentDescription> components;
  std::string failure;  ///< empty: it was loaded
};

/// What a training run left behind.
struct TrainOutcome {
  std::string folder, message;
  std::uint64_t updates = 0;
  bool stopped = false;  ///< by a signal: it can be resumed
};

}  // namespace v1
}  // namespace harmonium
