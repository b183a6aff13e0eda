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
    "hidden[0]. Numbers have every digit. 'harmonium inspect MODEL.h5' lists the tensors. FILE.npy receives the\n"
    "couplings within a layer alone, as a symmetric matrix. The model file itself is HDF5, which most languages read\n"
    "(docs/file_format.md).\n"
    "\n"
    "Where the data were standardized, whitened or scaled, parameters are in units of the z that was made of the\n"
    "data's numbers x. DIR then receives transform.csv, with the mean and scale of each column, z = (x - mean) / "
    "scale;\n"
    "of whitened data with its mean, and whitening.csv, the matrix M of z = (x - mean) M.";

class Export final : public RequestCommand<ExportRequest> {
 public:
  Export()
      : RequestCommand("export", "Write a model's parameters as CSV files", export_more,
                       {"harmonium export runs/first --output parameters",
                        "harmonium export glass.h5 --output couplings --quiet"}) {}

  void declare(CLI::App& command) override {
    add_model(command, request_.model);
    add_name(command, "--output", request_.output, "DIR|FILE.npy",
             "Folder for the files, which take the place of an earlier export")
        ->required();
    command.add_flag("--numbered", request_.numbered, "Call all units by layer and number, as import reads them");
    command.add_flag("--quiet", quiet_, "Do not name the files");
    add_plugins(command, request_.plugins);
  }
  int run(Terminal&) override {
    request_.model = model_named(request_.model);
    for (const std::string& file : program(precision_of_model(request_.model)).export_model(request_))
      if (!quiet_) write_out(file + "\n");
    return 0;
  }
};

}  // namespace

std::unique_ptr<Command> export_command() { return std::make_unique<Export>(); }

}  // namespace v1
}  // namespace harmonium
