#include <harmonium/cli/options.hpp>
#include <harmonium/program/commands.hpp>
#include <harmonium/program/precision.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr const char* import_more =
    "EDGES has a line 'n m', then m lines 'i j w', nodes counted from 1. FILE.h5 receives a model of n spins whose "
    "energy\n"
    "is -sum w s s, each edge once, to sample and to evaluate as any other.";

class Import final : public RequestCommand<ImportRequest> {
 public:
  Import()
      : RequestCommand(
            "import", "Make a model of spins from a file of edges", import_more,
            {"harmonium import glass.txt --output new.h5", "harmonium import maxcut.txt --negate --output cut.h5"}) {}

  void declare(CLI::App& command) override {
    add_file(command, "EDGES", request_.edges, "File of edges, plain or gzipped")->required();
    add_name(command, "--output", request_.output, "FILE.h5", "Model file; replaced if it exists")->required();
    command.add_flag("--negate", request_.negate,
                     "The energy of the file's edges is +sum w s s, as of max-cut instances");
    command.add_option("--precision", request_.precision, "float64 or float32 (default: float64)")
        ->type_name("NAME")
        ->check(CLI::IsMember({"float64", "float32"}));
  }
  int run(Terminal&) override {
    program(precision_named(request_.precision)).import_edges(request_);
    return 0;
  }
};

}  // namespace

std::unique_ptr<Command> import_command() { return std::make_unique<Import>(); }

}  // namespace v1
}  // namespace harmonium
