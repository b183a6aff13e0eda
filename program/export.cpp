#include <fmt/format.h>

#include <harmonium/cli/options.hpp>
#include <harmonium/cli/text.hpp>
#include <harmonium/program/commands.hpp>
#include <harmonium/program/precision.hpp>
#include <harmonium/program/run_argument.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr const char* export_more =
    "DIR receives a CSV file for each tensor, named like it, and layers.csv: the size of each layer, and of what\n"
    "units it is. Of biases a line has a unit and its value; of couplings between layers there is a line a unit of\n"
    "the one and a column a unit of the other; of couplings within a layer, a line a pair that exists, each once.\n"
    "Units are called as the data's columns are, where these have names, else by their layer and a number from 0, as\n"
    "hidden[0]. Numbers have every digit. 'harmonium inspect MODEL.h5' lists the tensors. FILE.npz receives them all\n"
    "as arrays, which import and numpy.load read; FILE.npy the couplings within a layer alone, as a symmetric matrix.\n"
    "The model file itself is HDF5, which most languages read (docs/file_format.md).\n"
    "\n"
    "--contacts writes a line a pair of units in place of all this, the strongest first, to FILE.csv: their numbers\n"
    "from 1 and a score. Of units of several states (Potts models) that is the Frobenius norm of their coupling in\n"
    "the zero-sum gauge, less the average product correction; of spins and bits |J|. --gauge zero_sum writes\n"
    "couplings and biases of such units so that they sum to zero over the states of each: another form of the same\n"
    "law, the one whose standard errors --errors has.\n"
    "\n"
    "Where the data were standardized, whitened or scaled, parameters are in units of the z that was made of the\n"
    "data's numbers x. DIR then receives transform.csv, with the mean and scale of each column, z = (x - mean) / "
    "scale;\n"
    "of whitened data with its mean, and whitening.csv, the matrix M of z = (x - mean) M. FILE.npz has them as arrays\n"
    "transform.LAYER.mean and transform.LAYER.scale, or transform.LAYER.matrix.";

class Export final : public RequestCommand<ExportRequest> {
 public:
  Export()
      : RequestCommand("export", "Write a model's parameters as CSV files, or as arrays of NumPy", export_more,
                       {"harmonium export runs/first --output weights.npz",
                        "harmonium export glass.h5 --contacts --output pairs.csv"}) {}

  void declare(CLI::App& command) override {
    add_model(command, request_.model);
    add_name(command, "--output", request_.output, "DIR|FILE.npz|FILE.npy|FILE.csv",
             "Folder for the files, which take the place of an earlier export")
        ->required();
    command.add_flag("--contacts", request_.contacts, "Write pairs of units by the strength of their coupling instead");
    add_count(command, "--min-separation", request_.pairs.min_separation, "N", 1,
              "Pairs i, j of --contacts with |i - j| of N or more (default: 1, all)");
    add_count(command, "--left-out", request_.pairs.left_out, "STATE", 0,
              "State that scores leave out, counted from 0, such as a gap (default: none)");
    add_name(command, "--gauge", request_.gauge, "zero_sum",
             "Gauge of couplings and biases of units of several states (default: as they are)");
    command.add_flag("--errors", request_.errors,
                     "Standard errors of the parameters in their place: of a run of a model without latent units");
    command.add_flag("--numbered", request_.numbered, "Call all units by layer and number, as import reads them");
    command.add_flag("--quiet", quiet_, "Do not name the files");
    add_plugins(command, request_.plugins);
  }
  int run(Terminal& terminal) override {
    request_.model = model_named(request_.model);
    // Differences of gradients want double precision, whatever the run had.
    const Precision precision = request_.errors ? Precision::float64 : precision_of_model(request_.model);
    const auto files = program(precision).export_model(request_);
    terminal.finish();
    for (const std::string& file : files)
      if (!quiet_) write_out(file + "\n");
    return 0;
  }
};

}  // namespace

std::unique_ptr<Command> export_command() { return std::make_unique<Export>(); }

}  // namespace v1
}  // namespace harmonium
