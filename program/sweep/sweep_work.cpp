#include <harmonium/program/sweep/sweep_work.hpp>

#include <algorithm>
#include <numeric>
#include <thread>

#include <fmt/format.h>

#include <harmonium/program/sweep/made_updates.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr std::chrono::milliseconds between_looks{20};
/// Between looks at what other processes train.
constexpr std::chrono::seconds between_visits{1};
/// Between looks at how far the runs under way are.
constexpr std::chrono::seconds between_measurements{1};

}  // namespace

SweepWork::SweepWork(const SweepFolder& folder, const std::vector<SweepTask>& tasks, const SweepLimits& limits,
                     const CommonRequest& request)
    : folder_(folder), tasks_(tasks), limits_(limits), request_(request), waiting_(tasks.size()) {
  std::iota(waiting_.begin(), waiting_.end(), std::size_t{0});
  if (!request_.display) return;
  for (std::size_t t = 0; t < tasks_.size(); ++t) {
    progress_.add(tasks_[t].seconds);
    look_at(t);  // what was broken off goes on
  }
}

bool SweepWork::go() {
  while (true) {
    if (!stopping_ && request_.stop && request_.stop->load()) {
      stopping_ = true;
      processes_.ask_to_stop();
    }
    for (const auto& [number, status] : processes_.ended()) take(number, status);
    if (!stopping_) start_some();
    const bool left = !waiting_.empty() || !elsewhere_.empty();
    if (processes_.running() == 0 && (stopping_ || !left)) return !stopping_;
    show();
    std::this_thread::sleep_for(between_looks);
  }
}

void SweepWork::start_some() {
  if (!elsewhere_.empty() && Clock::now() - looked_ > between_visits) {
    looked_ = Clock::now();
    std::erase_if(elsewhere_, [&](std::size_t number) {
      if (folder_.busy(tasks_[number].run)) return false;
      waiting_.push_back(number);
      return true;
    });
  }
  while (!waiting_.empty() && processes_.running() < static_cast<std::size_t>(limits_.jobs)) {
    // The first that there is memory for: a large run does not hold up small ones, and has its turn once they are over.
    const auto next = std::ranges::find_if(waiting_, [&](std::size_t number) { return fits(tasks_[number]); });
    if (next == waiting_.end()) return;
    const std::size_t number = *next;
    waiting_.erase(next);
    start(number);
  }
}

bool SweepWork::fits(const SweepTask& task) const {
  return processes_.running() == 0 || limits_.bytes <= 0.0 || bytes_ + task.bytes <= limits_.bytes;
}

void SweepWork::start(std::size_t number) {
  const std::string& run = tasks_[number].run;
  if (folder_.busy(run)) {
    elsewhere_.push_back(number);
    return;
  }
  if (folder_.over(run)) {  // by another process, meanwhile
    ++done_;
    if (request_.display) progress_.seen(number, 1.0);
    return;
  }
  const std::string folder = folder_.run(run).string();
  std::vector<std::string> words{"resume", folder};
  // Without a configuration there is no run yet, whatever else a kill has left.
  if (!std::filesystem::exists(folder_.run(run) / "config.toml"))
    words = {"train", folder_.config(run).string(), "--output", folder, "--overwrite"};
  words.insert(words.end(), {"--threads", std::to_string(limits_.threads)});
  for (const std::string& plugin : request_.plugins) words.insert(words.end(), {"--plugin", plugin});
  processes_.start(number, words, folder_.log(run));
  bytes_ += tasks_[number].bytes;
  under_way_.push_back(number);
}

void SweepWork::take(std::size_t number, int status) {
  bytes_ -= tasks_[number].bytes;
  std::erase(under_way_, number);
  const std::string& run = tasks_[number].run;
  if (status != 0 && stopping_) return;  // broken off: it goes on another time
  if (status != 0 && folder_.busy(run)) {
    elsewhere_.push_back(number);
    return;
  }
  const SweepEnd end = folder_.end_of(run, status);
  folder_.write_end(run, end);
  ++done_;
  if (request_.display) progress_.seen(number, 1.0);
  if (request_.display && end.state != SweepEnd::State::finished)
    request_.display->warn(fmt::format("run {} {}: {}", run, name_of(end.state), end.error));
}

void SweepWork::look_at(std::size_t number) {
  const SweepTask& task = tasks_[number];
  if (const auto made = made_updates(folder_.run(task.run)); made && task.updates > 0.0)
    progress_.seen(number, *made / task.updates);
}

void SweepWork::show() {
  if (!request_.display) return;
  if (Clock::now() - measured_ > between_measurements) {
    measured_ = Clock::now();
    for (const std::size_t number : under_way_) look_at(number);
  }
  request_.display->progress(
      progress_.share(), fmt::format("{} of {} runs done, {} under way", done_, tasks_.size(), processes_.running()));
}

}  // namespace v1
}  // namespace harmonium
