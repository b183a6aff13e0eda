#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

namespace harmonium {
inline namespace v1 {

/// Serves one page to browsers on this machine.
class PageServer {
 public:
  /// Takes a port of the loopback address; 0: one that is free. Throws FileError where it cannot be had.
  explicit PageServer(int port);
  ~PageServer();
  PageServer(const PageServer&) = delete;
  PageServer& operator=(const PageServer&) = delete;

  int port() const { return port_; }
  /// Answers every request for / with what `page` returns, until `stop`. `page` is called by one thread at a time.
  void serve(const std::function<std::string()>& page, const std::atomic<bool>& stop);

 private:
  struct Server;
  std::unique_ptr<Server> server_;
  int port_ = 0;
};

}  // namespace v1
}  // namespace harmonium
