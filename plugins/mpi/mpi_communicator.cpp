// The one source that knows MPI.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>

#include <mpi.h>

#include <harmonium/framework/core/version.hpp>
#include <harmonium/framework/execution/communicator.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// Bytes of one message, whose length MPI counts in an int.
constexpr std::size_t longest = std::size_t{1} << 30;

std::vector<int> ints(std::span<const Index> values) { return {values.begin(), values.end()}; }

/// Where each part begins, the parts one after another.
std::vector<int> places(const std::vector<int>& sizes) {
  std::vector<int> at(sizes.size());
  std::exclusive_scan(sizes.begin(), sizes.end(), at.begin(), 0);
  return at;
}

/// Errors of MPI end all ranks: its default.
class MpiCommunicator final : public Communicator {
 public:
  MpiCommunicator() {
    int provided = 0, rank = 0, size = 1;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    rank_ = static_cast<Index>(rank);
    size_ = static_cast<Index>(size);
  }
  ~MpiCommunicator() override { MPI_Finalize(); }
  MpiCommunicator(const MpiCommunicator&) = delete;
  MpiCommunicator& operator=(const MpiCommunicator&) = delete;

  Index rank() const override { return rank_; }
  Index size() const override { return size_; }

  void broadcast(std::span<std::byte> bytes) override {
    for (std::size_t at = 0; at < bytes.size(); at += longest)
      MPI_Bcast(bytes.data() + at, length(bytes.size() - at), MPI_BYTE, 0, MPI_COMM_WORLD);
  }

  std::vector<std::vector<std::byte>> gather(std::span<const std::byte> own) override {
    const std::uint64_t size = own.size();
    std::vector<std::uint64_t> sizes(leads() ? size_ : 0);
    MPI_Gather(&size, 1, MPI_UINT64_T, sizes.data(), 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (!leads()) {
      for (std::size_t at = 0; at < own.size(); at += longest)
        MPI_Send(own.data() + at, length(own.size() - at), MPI_BYTE, 0, 0, MPI_COMM_WORLD);
      return {};
    }
    std::vector<std::vector<std::byte>> all(size_);
    all[0].assign(own.begin(), own.end());
    for (Index r = 1; r < size_; ++r) {
      all[r].resize(sizes[r]);
      for (std::size_t at = 0; at < all[r].size(); at += longest)
        MPI_Recv(all[r].data() + at, length(all[r].size() - at), MPI_BYTE, static_cast<int>(r), 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
    return all;
  }

  void exchange(std::span<const std::byte> send, std::span<const Index> to, std::span<std::byte> receive,
                std::span<const Index> from) override {
    const std::vector<int> sent = ints(to), received = ints(from);
    MPI_Alltoallv(send.data(), sent.data(), places(sent).data(), MPI_BYTE, receive.data(), received.data(),
                  places(received).data(), MPI_BYTE, MPI_COMM_WORLD);
  }

  void share(std::span<std::byte> all, std::span<const Index> sizes) override {
    const std::vector<int> parts = ints(sizes);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), parts.data(), places(parts).data(), MPI_BYTE,
                   MPI_COMM_WORLD);
  }

  [[noreturn]] void abort(int status) override {
    MPI_Abort(MPI_COMM_WORLD, status);
    std::_Exit(status);
  }

 private:
  static int length(std::size_t left) { return static_cast<int>(std::min(left, longest)); }

  Index rank_ = 0, size_ = 1;
};

}  // namespace
}  // namespace v1
}  // namespace harmonium

extern "C" {
[[gnu::visibility("default")]] const char* harmonium_mpi_version();
[[gnu::visibility("default")]] harmonium::Communicator* harmonium_mpi_open();
}

const char* harmonium_mpi_version() { return harmonium::version(); }
harmonium::Communicator* harmonium_mpi_open() { return new harmonium::MpiCommunicator(); }
