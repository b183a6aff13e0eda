#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include <doctest/doctest.h>

#include "files.hpp"
#include "page.hpp"

namespace watch_test {

using namespace harmonium::testing;
namespace fs = std::filesystem;

namespace {

/// A connection to a port of this machine; -1 where nobody listens.
int connected(int port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return socket;
  ::close(socket);
  return -1;
}

/// What is answered to a request for `path` by a browser that calls the machine `host`.
std::string answer(int port, const std::string& path = "/", const std::string& host = "127.0.0.1") {
  const int socket = connected(port);
  REQUIRE(socket >= 0);
  const std::string request = "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
  CHECK(::write(socket, request.data(), request.size()) == static_cast<ssize_t>(request.size()));
  std::string text;
  char buffer[4096];
  for (ssize_t got = 0; (got = ::read(socket, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(got));
  ::close(socket);
  return text;
}

std::string body_of(const std::string& answer) { return answer.substr(answer.find("\r\n\r\n") + 4); }

/// `harmonium watch RUN`, on a port that it finds.
class Watching {
 public:
  Watching(const ScratchFolder& folder, const std::string& run)
      : out_(folder.write("address", "")),
        running_({"watch", run, "--port", "0"}, {.folder = folder.path(), .out = out_.string()}) {
    REQUIRE(appears(out_));
    std::string text;
    while (text.find('\n') == std::string::npos) text = content_of(out_);
    REQUIRE(like(text, "http://127.0.0.1:*/\n"));
    port = std::stoi(text.substr(text.rfind(':') + 1));
  }
  Outcome stop(int signal = SIGINT) {
    running_.signal(signal);
    return running_.wait();
  }
  int port = 0;

 private:
  fs::path out_;
  Running running_;
};

}  // namespace

TEST_CASE("watch serves a run as it is, and asks for more until it has ended") {
  const CliFolder folder;
  Running training({"train", "small.toml", "--output", "run", "--set", "training.num_epochs=10000000"},
                   {.folder = folder.path()});
  REQUIRE(appears(folder / "run/metrics.jsonl"));
  Watching watching(folder, "run");
  const std::string going = answer(watching.port);
  CHECK(going.starts_with("HTTP/1.1 200 OK\r\n"));
  CHECK(going.find("Content-Type: text/html; charset=utf-8\r\n") != std::string::npos);
  const Page page = read_page(body_of(going));
  CHECK(page.fault == "");
  CHECK(loaded_by(page, going) == Words{});
  CHECK(page.says("h2", "Learning curves"));
  CHECK(going.find("<meta http-equiv=\"refresh\" content=\"5\" />") != std::string::npos);
  training.signal(SIGTERM);
  CHECK(training.wait().status == 1);
  CHECK(run(folder, {"train", "small.toml", "--output", "run", "--overwrite"}).status == 0);
  const std::string ended = body_of(answer(watching.port));
  CHECK(ended.find("The run is finished.") != std::string::npos);
  CHECK(ended.find("http-equiv=\"refresh\"") == std::string::npos);
  fs::remove_all(folder / "run");
  CHECK(body_of(answer(watching.port)).find("run: no such folder") != std::string::npos);
  const Outcome outcome = watching.stop();
  CHECK(outcome.status == 1);
  CHECK(outcome.err == "harmonium: stopped by a signal.\n");
  CHECK(connected(watching.port) < 0);
}

TEST_CASE("watch answers for its one page alone, and only to this machine's own names") {
  const CliFolder folder;
  folder.trained();
  Watching watching(folder, "run");
  CHECK(answer(watching.port, "/", "localhost:9000").starts_with("HTTP/1.1 200 OK\r\n"));
  CHECK(answer(watching.port, "/", "evil.example").starts_with("HTTP/1.1 403 "));
  for (const char* path : {"/config.toml", "/../run/config.toml", "/run/", "//"})
    CHECK_MESSAGE(answer(watching.port, path).starts_with("HTTP/1.1 404 "), path);
  CHECK(watching.stop(SIGTERM).status == 1);
}

TEST_CASE("watch refuses a port that is taken, and what is no run") {
  const CliFolder folder;
  folder.trained();
  Watching watching(folder, "run");
  const std::string port = std::to_string(watching.port);
  check_refusal(
      run(folder, {"watch", "run", "--port", port}), 1,
      "--port " + port + ": it cannot be had (Address already in use). Give another one, or 0 for any that is free.");
  check_refusal(run(folder, {"watch", "nowhere"}), 2, "nowhere: no such folder");
  check_refusal(run(folder, {"watch"}), 2, "watch: RUN is missing. See 'harmonium watch --help'.");
  check_refusal(run(folder, {"watch", "run", "--port", "70000"}), 2, "--port*");
  CHECK(watching.stop().status == 1);
}

}  // namespace watch_test
