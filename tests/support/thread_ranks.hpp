#pragma once

#include <algorithm>
#include <barrier>
#include <exception>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

#include <harmonium/framework/execution/communicator.hpp>

namespace harmonium::testing {

/// Ranks as threads of this process.
class ThreadRanks {
 public:
  explicit ThreadRanks(Index size) : size_(size), meeting_(static_cast<std::ptrdiff_t>(size)), posts_(size) {}

  /// body(rank's communicator) on all ranks at once. An exception of one is thrown again; all must throw it, or none.
  void run(const std::function<void(Communicator&)>& body) {
    std::vector<std::exception_ptr> errors(size_);
    std::vector<std::thread> threads;
    for (Index r = 0; r < size_; ++r)
      threads.emplace_back([&, r] {
        Rank rank(*this, r);
        try {
          body(rank);
        } catch (...) {
          errors[r] = std::current_exception();
        }
      });
    for (std::thread& thread : threads) thread.join();
    for (const std::exception_ptr& error : errors)
      if (error) std::rethrow_exception(error);
  }

 private:
  class Rank final : public Communicator {
   public:
    Rank(ThreadRanks& all, Index rank) : all_(all), rank_(rank) {}
    Index rank() const override { return rank_; }
    Index size() const override { return all_.size_; }
    void broadcast(std::span<std::byte> bytes) override {
      post(bytes);
      if (!leads()) std::ranges::copy(all_.posts_[0], bytes.begin());
      meet();
    }
    std::vector<std::vector<std::byte>> gather(std::span<const std::byte> own) override {
      post(own);
      std::vector<std::vector<std::byte>> gathered;
      if (leads()) gathered = all_.posts_;
      meet();
      return gathered;
    }
    void exchange(std::span<const std::byte> send, std::span<const Index> to, std::span<std::byte> receive,
                  std::span<const Index> from) override {
      if (send.size() != sum(to, size()) || receive.size() != sum(from, size())) throw std::logic_error("sizes");
      // What each sends stands behind its sizes.
      std::vector<std::byte> posted(size() * sizeof(Index));
      std::ranges::copy(std::as_bytes(to), posted.begin());
      posted.insert(posted.end(), send.begin(), send.end());
      post(posted);
      Index at = 0;
      for (Index r = 0; r < size(); ++r) {
        const std::vector<std::byte>& its = all_.posts_[r];
        std::vector<Index> sizes(size());
        std::copy_n(its.begin(), size() * sizeof(Index), std::as_writable_bytes(std::span(sizes)).begin());
        if (sizes[rank_] != from[r]) throw std::logic_error("what is sent is not what is awaited");
        const auto first = its.begin() + static_cast<std::ptrdiff_t>(size() * sizeof(Index) + sum(sizes, rank_));
        std::copy_n(first, from[r], receive.begin() + static_cast<std::ptrdiff_t>(at));
        at += from[r];
      }
      meet();
    }
    void share(std::span<std::byte> all, std::span<const Index> sizes) override {
      post(all.subspan(sum(sizes, rank_), sizes[rank_]));
      for (Index r = 0; r < size(); ++r)
        std::ranges::copy(all_.posts_[r], all.begin() + static_cast<std::ptrdiff_t>(sum(sizes, r)));
      meet();
    }
    [[noreturn]] void abort(int) override { std::terminate(); }

   private:
    static Index sum(std::span<const Index> sizes, Index count) {
      Index all = 0;
      for (const Index n : sizes.first(count)) all += n;
      return all;
    }
    void post(std::span<const std::byte> bytes) {
      all_.posts_[rank_].assign(bytes.begin(), bytes.end());
      meet();
    }
    void meet() { all_.meeting_.arrive_and_wait(); }

    ThreadRanks& all_;
    Index rank_;
  };

  Index size_;
  std::barrier<> meeting_;
  std::vector<std::vector<std::byte>> posts_;
};

}  // namespace harmonium::testing
