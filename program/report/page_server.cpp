#include <harmonium/program/report/page_server.hpp>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <mutex>
#include <thread>

#include <httplib.h>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr const char* loopback = "127.0.0.1";

/// Whether a request was made to this machine by one of its own names: a page from elsewhere could give the address another.
bool is_local(const std::string& host) {
  const std::string name = host.substr(0, host.rfind(':'));
  return name == loopback || name == "localhost";
}

/// A port in use is refused; the library's own choice would share it with whoever else did so.
void own_port(socket_t socket) {
  const int yes = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
}

}  // namespace

struct PageServer::Server {
  httplib::Server http;
};

PageServer::PageServer(int port) : server_(std::make_unique<Server>()) {
  httplib::Server& http = server_->http;
  http.set_socket_options(own_port);
  http.new_task_queue = [] { return new httplib::ThreadPool(2); };  // NOLINT: the library takes it over
  errno = 0;
  port_ = port == 0 ? http.bind_to_any_port(loopback) : http.bind_to_port(loopback, port) ? port : -1;
  if (port_ < 0)
    throw FileError(fmt::format("--port {}: it cannot be had ({}). Give another one, or 0 for any that is free.", port,
                                errno ? std::strerror(errno) : "in use"));
}

PageServer::~PageServer() = default;

void PageServer::serve(const std::function<std::string()>& page, const std::atomic<bool>& stop) {
  httplib::Server& http = server_->http;
  std::mutex one;
  http.Get("/", [&](const httplib::Request& request, httplib::Response& response) {
    if (!is_local(request.get_header_value("Host"))) {
      response.status = 403;
      response.set_content("This page is for browsers of this machine.\n", "text/plain");
      return;
    }
    const std::lock_guard lock(one);
    response.set_header("Cache-Control", "no-store");
    response.set_header("X-Content-Type-Options", "nosniff");
    response.set_content(page(), "text/html; charset=utf-8");
  });
  std::thread listener([&] { http.listen_after_bind(); });
  while (!stop && !http.is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  while (!stop) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  http.stop();
  listener.join();
}

}  // namespace v1
}  // namespace harmonium
