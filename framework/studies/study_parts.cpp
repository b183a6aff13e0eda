#include <harmonium/framework/studies/study_parts.hpp>

#include <atomic>

#include <fmt/format.h>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/execution/executor.hpp>
#include <harmonium/framework/files/atomic_file.hpp>

namespace harmonium {
inline namespace v1 {

StudyParts::StudyParts(const StudyWork& work, const StudyFolder& folder, std::vector<std::string> names,
                       std::string called)
    : work_(work), folder_(folder), names_(std::move(names)), called_(std::move(called)) {
  std::error_code error;
  for (Index i = 0; i < names_.size(); ++i)
    if (!std::filesystem::exists(folder_.part_path(names_[i]), error)) missing_.push_back(i);
}

void StudyParts::announce() const {
  if (!work_.display || done() == 0) return;
  const std::string folder = folder_.path().string();
  work_.display->warn(
      missing_.empty()
          ? fmt::format("{} holds all {} {}: tables and figures are made of them anew.", folder, total(), called_)
          : fmt::format("going on in {}: {} of {} {} are done.", folder, done(), total(), called_));
}

void StudyParts::make(const std::function<Value(Index part)>& make) {
  const Executor executor(work_.threads, work_.stop);
  std::atomic<Index> next{0};
  executor.for_each_piece(missing_.size(), 1, [&](Index, Index) {
    const Index part = missing_[next++];  // in order, whoever is free
    write_file_atomically(folder_.part_path(names_[part]), write_toml(make(part)));
    {
      const std::lock_guard lock(mutex_);
      ++made_;
    }
    show_progress();
  });
}

void StudyParts::show_progress(const std::string& more) {
  if (!work_.display) return;
  const std::lock_guard lock(mutex_);
  work_.display->progress(static_cast<double>(done()) / static_cast<double>(total()),
                          fmt::format("{} of {} {}{}", done(), total(), called_, more));
}

Value StudyParts::read(Index part) const {
  const std::filesystem::path path = folder_.part_path(names_[part]);
  try {
    Value value = read_toml(path);
    value.where = path.string();
    return value;
  } catch (const ConfigError& error) {
    throw DataError(fmt::format("{} Remove the file, and the run is made again.", error.what()));
  }
}

}  // namespace v1
}  // namespace harmonium
