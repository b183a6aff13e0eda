#include <harmonium/framework/execution/ranks.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

namespace harmonium {
inline namespace v1 {
namespace {

class SingleProcess final : public Communicator {
 public:
  Index rank() const override { return 0; }
  Index size() const override { return 1; }
  void broadcast(std::span<std::byte>) override {}
  std::vector<std::vector<std::byte>> gather(std::span<const std::byte> own) override {
    return {{own.begin(), own.end()}};
  }
  void exchange(std::span<const std::byte> send, std::span<const Index>, std::span<std::byte> receive,
                std::span<const Index>) override {
    std::ranges::copy(send, receive.begin());
  }
  void share(std::span<std::byte>, std::span<const Index>) override {}
  [[noreturn]] void abort(int status) override { std::_Exit(status); }
};

}  // namespace

Communicator::~Communicator() = default;

AnotherFailed::~AnotherFailed() = default;

void meet(Ranks& ranks) {
  const Agreement agreed = agree(ranks.all, 0, "");
  if (agreed.status != 0) throw AnotherFailed(fmt::format("rank {}: {}", agreed.rank, agreed.message), agreed.status);
}

Communicator& single_process() {
  static SingleProcess instance;
  return instance;
}

Agreement agree(Communicator& ranks, int status, const std::string& message) {
  std::vector<std::byte> own(sizeof status + message.size());
  std::memcpy(own.data(), &status, sizeof status);
  std::memcpy(own.data() + sizeof status, message.data(), message.size());
  const auto all = ranks.gather(own);
  Agreement agreed;
  for (Index r = 0; r < all.size(); ++r) {
    int its = 0;
    std::memcpy(&its, all[r].data(), sizeof its);
    if (its == 0) continue;
    if (agreed.status == 0) {
      agreed.rank = r;
      agreed.message.assign(reinterpret_cast<const char*>(all[r].data()) + sizeof its, all[r].size() - sizeof its);
    }
    agreed.status = std::max(agreed.status, its);
  }
  ranks.broadcast(std::as_writable_bytes(std::span(&agreed.status, 1)));
  return agreed;
}

}  // namespace v1
}  // namespace harmonium
