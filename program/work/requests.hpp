#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/run/request.hpp>
#include <harmonium/program/work/findings.hpp>
#include <harmonium/program/work/judged_rows.hpp>
#include <harmonium/program/work/listed_temperatures.hpp>
#include <harmonium/program/work/pair_choice.hpp>

namespace harmonium {
inline namespace v1 {

struct TrainRequest : CommonRequest {
  Value config;               ///< parsed, overrides applied
  std::string config_folder;  ///< relative paths are taken from here
  std::string run_name;       ///< of the folder where `output` is empty: runs/NAME-N
  std::string output;
  bool overwrite = false;
  bool resume = false;                       ///< `output` holds a run, `config` is its effective configuration
  std::optional<std::uint64_t> epochs = {};  ///< how long the run is to be in all; in `config` already
  std::string from = {};                     ///< the model that it starts from; in `config` already
  std::string rows_are = {};                 ///< what the rows are where they are no data: "hidden states of machine 1"
  /// Told at the end of each epoch how much of the run is done, and its figures, in place of the display's progress; empty: nobody
  /// reads a log.
  std::function<void(double share, const std::string& what)> epoch_ended = {};
  /// Told the same between, by whoever reads a log: for the time that is left, and where an epoch is long.
  std::function<void(double share, const std::string& what)> within_epoch = {};
  /// Told the verdict on chains where it is no warning, in place of the display's note; empty: nobody reads a log.
  std::function<void(const std::string& line)> judged = {};
};

struct ExplainRequest : TrainRequest {
  bool timing = true;  ///< whether a second of the run is made, to say how long all of it takes
};

struct InitRequest : CommonRequest {
  std::string data;
  std::string output;  ///< where the configuration will be: paths in it are taken from there; empty: the current folder
  bool overwrite = false;
};

struct InspectRequest : CommonRequest {
  std::string data;  ///< a file or a source that makes its rows
};

struct ImportRequest : CommonRequest {
  std::string edges, output;
  std::string fields;  ///< a file of one a node, or one number for all; empty: none
  std::string precision = "float64";
  Value config = {};          ///< a table: the model is what it describes, and there are no edges
  std::string config_folder;  ///< relative paths of it are taken from here
  std::string parameters;     ///< an archive of the parameters of what `config` describes; empty: its initializer's
  bool negate = false;        ///< couplings are minus the weights
};

struct SampleRequest : CommonRequest {
  std::string model, output, sampler;  ///< sampler empty: the usual one of the model
  std::uint64_t num_samples = 0;       ///< 0: one for each row of a file in `clamp`
  std::uint64_t steps = 0, thin = 0;   ///< thin 0: independent chains
  double beta = 1.0;
  std::vector<std::string> clamp;       ///< what is held fixed (program/work/clamp.hpp)
  std::vector<std::string> start = {};  ///< where chains begin, in the same words; empty: at the biases alone
  bool descend = false;                 ///< each row to the local minimum of the energy below it
  bool energies = false;                ///< write the energy of each row beside it
  bool states = false;                  ///< a column for each unit, its state, in place of its one-hot columns
  bool raw = false;                     ///< samples in the model's units, not in those of the data it was trained on
};

/// Of a machine of a stack that is trained: what it passes up to the run of the next one.
struct PassUpRequest : CommonRequest {
  std::string model, folder;  ///< the machine; where the files of the next one's run are written
  Value next;                 ///< the configuration of that run, but for its data, its observed units, and its start
  bool draws = true;          ///< of the latent units given each row, in place of their means
  bool transposed = true;     ///< whether the next machine starts with the couplings of this one, where it can
  bool doubled = false;       ///< what this machine observes counts twice, as the estimator 'doubled' had it
};

/// The trained machines of a stack, from that of the data up, which are to be one model.
struct JoinRequest : CommonRequest {
  std::vector<std::string> models;
  std::string output;
};

struct EvaluateRequest : CommonRequest {
  std::string model, data, log_z;    ///< empty: not asked for
  std::string rows;                  ///< a file for the figures of each row; empty: not asked for
  std::string ground_state = {};     ///< a file for a state of the lowest energy; empty: not asked for
  bool ground_state_states = false;  ///< it has a column for each unit, its state, in place of its one-hot columns
  std::optional<double> ground_state_below =
      {};                               ///< such a state is written where its energy is below this; none: always
  std::string split;                    ///< with own_data, of one part alone: training, validation or test
  std::vector<std::string> clamp = {};  ///< NAME=free: log p of these units given the rest of each row is asked for
  bool own_data = false;                ///< where no data is named, that of the model's run, part by part
  std::string rows_of = {};             ///< that of this model's run in its place; empty: its own
  double beta = 1.0;
  ListedTemperatures listed = {};  ///< one after the other; none: `beta` alone
  std::uint64_t num_betas = 1;     ///< `beta` is one of so many, which take as long each
  /// Told what each of them came to, once it is known; empty: all are asked for at the end.
  std::function<void(double beta, const Evaluation&)> beta_done = {};
  std::optional<double> effort =
      {};                    ///< of log_z "ais", and of exact sums unasked: how much longer than usual it may take
  bool bound_alone = false;  ///< of rows whose latent units are coupled their bound is enough: no sums, no annealing
  bool bound_where_any = false;  ///< it is asked for where there is one, in place of refused
  /// Of an evaluation that nobody asked for: `effort` is for a log Z that takes more multiplications and additions than these with the
  /// usual one, where the bound of rows is enough too (with_due_effort); none: for any.
  std::optional<double> effort_beyond = {};
  bool effort_where_any = false;  ///< it is left out where log Z is found without any, in place of refused
  std::string left_out_by = {};   ///< of an evaluation that nobody asked for: the option that leaves it out
  bool why_annealed = true;       ///< it is said where log Z is annealed because no exact way serves
  bool first_machine = false;     ///< of a stack, judge its first machine alone too
  bool no_first_machine = false;  ///< --no-first-machine: it is left out, and that is said; refused of what is no stack
  std::string first_machine_left_out_by =
      {};  ///< the option that leaves it out, told before its log Z; empty: nothing is told
  std::string first_machine_model = {};  ///< the file of that machine, trained alone; empty: it is taken from the stack
  bool log_z_alone = false;         ///< of the figures that need no data; ⟨E⟩ and what follows from it are left out
  bool keeps_draws = false;         ///< of the model, by which log Z is found, for a comparison with another
  std::string called = {};          ///< in remarks, where several models are judged; empty: it is the only one
  std::string stream = "evaluate";  ///< of random numbers: estimates by two of them are independent
  /// Told each set of rows that was judged, in turn; empty: nobody asks for single rows.
  std::function<void(const JudgedRows&)> rows_judged = {};
  bool rows_alone =
      false;  ///< these are told as they are read, without figures: what can be refused is, and nothing is found

  bool row_by_row() const { return !rows.empty() || rows_judged; }
  /// Whether rows are named that are of no run; a setting of data names some.
  bool names_data() const {
    return !data.empty() || std::ranges::any_of(set, [](const std::string& s) { return s.starts_with("data"); });
  }
  /// Whether there are rows to judge.
  bool names_rows() const { return own_data || !split.empty() || names_data(); }
  /// Whether --clamp holds units of the model alone.
  bool holds_units() const { return !clamp.empty() && !names_rows(); }
  /// Whether ⟨E⟩ is asked for, which is that of the model with nothing held.
  bool wants_energy() const { return !log_z_alone && !holds_units(); }
};

struct TransformRequest : CommonRequest {
  std::string model, data, output;
  std::string split;         ///< in place of data, a part of the run's own: training, validation or test
  std::string layer;         ///< empty: the first latent one
  std::string phase;         ///< how means of coupled layers are found; empty: exactly
  bool draws = false;        ///< in place of means
  bool given_label = false;  ///< rows count with their labels, which are summed out otherwise
  bool complete = false;     ///< all that is observed, with the means of what was not seen, in place of a layer
  bool raw = false;          ///< these in the model's units, not in those of the data it was trained on
  bool likeliest = false;    ///< words, the likeliest, in place of probabilities: rows as the file of the data has them
  std::string errors;        ///< a file of the standard errors of what is estimated; empty: none
  std::string spread = {};   ///< of `complete`, a file of the standard deviations of what was not seen; empty: none
  std::string rows;  ///< a file of the number and the class of each row, in the order of the output; empty: none
  std::string truth =
      {};  ///< of `complete`, a file of the complete rows, by which what is filled in is judged; empty: none
  std::vector<std::string> clamp = {};                   ///< NAME=free: what rows have of these units is not seen
  std::optional<std::uint64_t> steps = {}, chains = {};  ///< of a row whose means are estimated; 1000 and 8
  double beta = 1.0;                                     ///< all is of p(x)^beta
};

struct DiagnoseRequest : CommonRequest {
  std::string model, data, sampler;  ///< sampler empty: the usual one of the model
  double beta = 1.0;
  std::uint64_t steps = 2000, chains = 8;  ///< of each start
  bool own_data = false;                   ///< where no data is named, the training rows of the model's run
};

struct ObserveRequest : CommonRequest {
  std::string model, layer, sampler;  ///< layer empty: the first observed one; sampler empty: tempering
  std::string output;                 ///< a folder; empty: nothing is written
  ListedTemperatures listed = {.betas = "0.1:1:10"};
  std::string series;              ///< a file of the series of energy and order; empty: none
  std::string correlations;        ///< "16x16", "16x16:open" or "lattice"; empty: none
  std::string local;               ///< of which pairs, "coupled" or "all"; empty: nothing of units and pairs
  bool frequencies = false;        ///< of these pairs how often each is in each two states, a table of `output`
  std::vector<std::string> clamp;  ///< units that are held, as in SampleRequest, but for rows and LAYER=each
  std::optional<std::uint64_t> steps = {}, chains = {};  ///< 10000 and 8
  std::optional<std::uint64_t> warm_up = {};             ///< a fifth of the steps
  bool exact = false;                                    ///< by a sum over all states, without chains
};

struct GradientRequest : CommonRequest {
  std::string model, data, estimator, against;
  std::string output;     ///< empty: only figures are told
  bool own_data = false;  ///< where no data is named, the training rows of the model's run
  std::uint64_t repeats = 1;
  std::uint64_t warm_up = 0;  ///< estimates of each repeat before the one that counts, at the same θ
};

struct DrawRequest : CommonRequest {
  std::string input;   ///< a model, the folder of a run, a file of data, or a source that makes rows
  std::string output;  ///< a file, or a folder for it; of all pictures of a run, a folder; empty: the run's own
  std::string what;    ///< empty: filters of a model, all pictures of a run, the rows of a file
  std::string shape, tensor, data, sampler;
  std::vector<std::string> clamp;        ///< what is held of samples and chains, as in SampleRequest
  std::uint64_t count = 0, columns = 0;  ///< 0: the usual
  std::optional<std::uint64_t> steps;
  PairChoice pairs = {};  ///< of a map of contacts
  double beta = 1.0;      ///< of samples and chains
};

struct StudyRequest : CommonRequest {
  std::string name;  ///< of the study
  Value config;      ///< parsed, overrides applied
  std::string output;
  bool overwrite = false;
};

/// What the spectra of a model's weights are taken of.
struct SpectraRequest : CommonRequest {
  std::string model;
};

}  // namespace v1
}  // namespace harmonium
