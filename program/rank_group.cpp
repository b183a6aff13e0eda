#include <harmonium/program/rank_group.hpp>

#include <dlfcn.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <thread>

#include <fmt/format.h>

#include <harmonium/cli/terminal.hpp>
#include <harmonium/framework/core/version.hpp>
#include <harmonium/program/signals.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

namespace fs = std::filesystem;

/// What launchers tell their processes: how many they are, and which this is. Open MPI; MPICH and its children; Slurm.
struct Launched {
  long size = 1, rank = 0;
};

long number_of(const char* variable, long otherwise) {
  const char* text = std::getenv(variable);
  return text && *text ? std::strtol(text, nullptr, 10) : otherwise;
}

Launched launched() {
  for (const auto& [size, rank] : {std::pair{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                                   {"PMI_SIZE", "PMI_RANK"},
                                   {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}})
    if (const long n = number_of(size, 1); n > 1) return {n, number_of(rank, 0)};
  return {};
}

fs::path library() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&single_process), &info) == 0 || !info.dli_fname) return {};
  return fs::absolute(info.dli_fname).parent_path() / "harmonium" / "harmonium_mpi.so";
}

template <class Function>
Function function_of(void* handle, const char* name) {
  return reinterpret_cast<Function>(::dlsym(handle, name));
}

Communicator* open_communicator(const Launched& by) {
  const auto refuse = [&](const std::string& why) {
    throw ConfigError(fmt::format("started as {} processes, which cannot share a run: {}", by.size, why));
  };
  const fs::path file = library();
  std::error_code error;
  if (!fs::is_regular_file(file, error))
    refuse(
        fmt::format("this Harmonium was built without MPI (there is no {}). Install libopenmpi-dev, build it again, "
                    "or start one process.",
                    file.string()));
  void* handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  const char* why = handle ? nullptr : ::dlerror();
  if (!handle) refuse(fmt::format("{} cannot be loaded: {}.", file.string(), why ? why : "no reason is given"));
  const auto built_against = function_of<const char* (*)()>(handle, "harmonium_mpi_version");
  const auto open = function_of<Communicator* (*)()>(handle, "harmonium_mpi_open");
  if (!built_against || !open || version() != std::string_view(built_against()))
    refuse(fmt::format("{} is of another Harmonium. Build it again.", file.string()));
  return open();
}

}  // namespace

void RankGroup::join() {
  const Launched by = launched();
  if (by.size == 1) return;
  silent_ = by.rank != 0;
  all_.reset(open_communicator(by));
  if (static_cast<long>(all_->size()) != by.size)
    throw ConfigError(
        fmt::format("started as {} processes, and MPI finds {}: the launcher is of another MPI than this Harmonium was "
                    "built with. Take its own mpirun.",
                    by.size, all_->size()));
  ranks_.emplace(Ranks{*all_});
}

int RankGroup::fail(const std::string& message, int status) {
  if (!ranks_) {
    if (!silent_) say("harmonium: " + message);
    return status;
  }
  ignore_signals();
  if (ranks_->together) {
    if (leads()) say("harmonium: " + message);
    return agree(ranks_->all, status, message).status;
  }
  // Where all fail alike, rank 0 speaks, and its end is theirs.
  if (!leads()) std::this_thread::sleep_for(std::chrono::milliseconds(500));
  say(leads() ? "harmonium: " + message : fmt::format("harmonium: rank {}: {}", ranks_->all.rank(), message));
  ranks_->all.abort(status);
  return status;  // never: g++ does not see it through a virtual function
}

int RankGroup::fail(const AnotherFailed& error) const {
  ignore_signals();
  if (leads()) say(fmt::format("harmonium: {}", error.what()));
  return error.exit_status();
}

}  // namespace v1
}  // namespace harmonium
