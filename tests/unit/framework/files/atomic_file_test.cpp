#include <harmonium/framework/files/atomic_file.hpp>

#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <string>

#include <sys/resource.h>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace atomic_file_test {

using namespace harmonium;
using harmonium::testing::content_of;
using harmonium::testing::message_of;
using harmonium::testing::ScratchFolder;

namespace {

std::size_t files_in(const ScratchFolder& folder) {
  const std::filesystem::directory_iterator it(folder.path());
  return static_cast<std::size_t>(std::distance(begin(it), end(it)));
}

// For its scope, no file may grow beyond `bytes`: writing fails as on a full disk.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int) = SIG_DFL;
};

}  // namespace

TEST_CASE("an atomic file appears whole, replacing an older one, and leaves nothing beside it") {
  const ScratchFolder folder;
  write_file_atomically(folder / "a", "old");
  AtomicFile file(folder / "a");
  CHECK(file.path().parent_path() == folder.path());
  file.write("ne");
  file.write("w");
  CHECK(content_of(folder / "a") == "old");
  file.commit();
  CHECK(content_of(folder / "a") == "new");
  CHECK(files_in(folder) == 1);
}

TEST_CASE("an exception leaves the older file and no partial one") {
  const ScratchFolder folder;
  folder.write("a", "old");
  CHECK_THROWS_AS(
      [&] {
        AtomicFile file(folder / "a");
        file.write("half");
        throw std::runtime_error("stop");
      }(),
      std::runtime_error);
  CHECK(content_of(folder / "a") == "old");
  CHECK(files_in(folder) == 1);
}

TEST_CASE("a library may write the partial file itself") {
  const ScratchFolder folder;
  AtomicFile file(folder / "a");
  folder.write(file.path().filename().string(), "by another hand");
  file.commit();
  CHECK(content_of(folder / "a") == "by another hand");
}

TEST_CASE("no link that stands in a folder is followed, and no name comes twice") {
  const ScratchFolder folder;
  folder.write("victim", "somebody's");
  std::filesystem::create_symlink(folder / "victim", folder / "a");
  std::filesystem::create_symlink(folder / "victim", folder / "a.partial");
  {
    AtomicFile one(folder / "a"), two(folder / "a");
    CHECK(one.path() != two.path());
  }
  write_file_atomically(folder / "a", "new");
  CHECK(content_of(folder / "victim") == "somebody's");
  CHECK(content_of(folder / "a") == "new");
  CHECK_FALSE(std::filesystem::is_symlink(folder / "a"));
}

TEST_CASE("what a kill left of a file is cleared, and nothing else") {
  const ScratchFolder folder;
  AtomicFile in_work(folder / "a");
  folder.write(".harmonium-0123456789abcdef.partial", "left by a kill");
  folder.write("thesis.partial", "years of work");
  std::filesystem::create_symlink(folder / "thesis.partial", folder / ".harmonium-fedcba9876543210.partial");
  remove_left_partials(folder.path());
  CHECK(files_in(folder) == 3);
  CHECK(std::filesystem::exists(in_work.path()));
  CHECK(content_of(folder / "thesis.partial") == "years of work");
  in_work.commit();
  CHECK(content_of(folder / "a").empty());
  remove_left_partials(folder / "none");
}

TEST_CASE("a full disk is an error with the system's words, and the older file stays") {
  const ScratchFolder folder;
  folder.write("a", "old");
  {
    const FullDisk disk(1000);
    const std::string message =
        message_of<FileError>([&] { write_file_atomically(folder / "a", std::string(5000, 'x')); });
    CHECK(message == (folder / "a").string() + ": cannot be written: File too large");
  }
  CHECK(content_of(folder / "a") == "old");
  CHECK(files_in(folder) == 1);
}

TEST_CASE("a place that cannot be written is an error") {
  const ScratchFolder folder;
  CHECK(message_of<FileError>([&] { write_file_atomically(folder / "no/a", "x"); }) ==
        (folder / "no/a").string() + ": cannot be created: No such file or directory");
  std::filesystem::create_directory(folder / "d");
  CHECK(message_of<FileError>([&] { write_file_atomically(folder / "d", "x"); }) ==
        (folder / "d").string() + ": is a folder, which no file replaces. Give another name.");
  CHECK(files_in(folder) == 1);
}

}  // namespace atomic_file_test
