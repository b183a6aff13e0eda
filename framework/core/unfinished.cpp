#include <harmonium/framework/core/unfinished.hpp>

#include <atomic>

namespace harmonium {
inline namespace v1 {
namespace {

std::atomic<int> unfinished{0}, unfinished_files{0};
static_assert(std::atomic<int>::is_always_lock_free);  // else no handler of a signal may look

}  // namespace

UnfinishedWork::UnfinishedWork(Kind kind) noexcept : kind_(kind) {
  ++unfinished;
  if (kind_ == Kind::file) ++unfinished_files;
}

UnfinishedWork::~UnfinishedWork() {
  if (kind_ == Kind::file) --unfinished_files;
  --unfinished;
}

bool UnfinishedWork::any() noexcept { return unfinished.load() > 0; }
bool UnfinishedWork::any_file() noexcept { return unfinished_files.load() > 0; }

}  // namespace v1
}  // namespace harmonium
