#include <filesystem>

#include <fmt/format.h>

#include <harmonium/cli/options.hpp>
#include <harmonium/cli/text.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/unfinished.hpp>
#include <harmonium/program/commands.hpp>
#include <harmonium/program/report/html.hpp>
#include <harmonium/program/report/page.hpp>
#include <harmonium/program/report/page_server.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr int seconds_between = 5;

constexpr const char* watch_more =
    "Prints the address of a page with the run's progress, its curves and last figures, which is made anew from its "
    "logs\n"
    "each time, and asks for itself every 5 seconds until the run has ended. It is served to browsers of this machine\n"
    "alone (127.0.0.1); from elsewhere: ssh -L 8800:127.0.0.1:8800 MACHINE. Ctrl-C ends it, and not the run.";

struct WatchRequest : CommonRequest {
  std::string run;
  int port = 8800;
};

class Watch final : public RequestCommand<WatchRequest> {
 public:
  Watch()
      : RequestCommand("watch", "Serve a page of a run that goes on, to browsers of this machine", watch_more,
                       {"harmonium watch runs/first", "harmonium watch runs/first --port 8801"}) {}

  void declare(CLI::App& command) override {
    command.add_option("RUN", request_.run, "Folder of a run")->type_name("RUN")->required();
    command.add_option("--port", request_.port, "Port of the address (default: 8800; 0: any that is free)")
        ->type_name("N")
        ->check(whole_number(0, 65535));
  }
  bool writes_files() const override { return false; }
  int run(Terminal&) override {
    read_progress(request_.run);   // what is wrong with the folder is told now
    const UnfinishedWork serving;  // ended in order by a signal
    PageServer server(request_.port);
    write_out(fmt::format("http://127.0.0.1:{}/\n", server.port()));
    server.serve([this] { return page(); }, *request_.stop);
    throw Stopped();
  }

 private:
  std::string page() const {
    try {
      Charts charts;
      return progress_page(read_progress(request_.run), seconds_between, charts);
    } catch (const Error& error) {
      return whole_page(std::filesystem::path(request_.run).filename().string(), "The run cannot be read now.",
                        {{"why", "Why", html_element("p", error.what())}}, seconds_between);
    }
  }
};

}  // namespace

std::unique_ptr<Command> watch_command() { return std::make_unique<Watch>(); }

}  // namespace v1
}  // namespace harmonium
