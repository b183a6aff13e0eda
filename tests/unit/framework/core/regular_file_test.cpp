
#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/regular_file.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace regular_file_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const FileError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("regular files are opened, and what else has a name is refused without waiting for it") {
  const ScratchFolder folder;
  folder.write("file", "four");
  REQUIRE(::symlink("file", (folder / "link").c_str()) == 0);
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  for (const char* name : {"file", "link"}) {
    const RegularFile file(folder / name);
    char text[8] = {};
    CHECK(file.size() == 4);
    CHECK(::pread(file.descriptor(), text, sizeof text, 0) == 4);
    CHECK(std::string(text) == "four");
    check_replaceable(folder / name);
  }
  check_replaceable(folder / "none");
  const auto opening = [&](const std::filesystem::path& path) { return refusal([&] { RegularFile{path}; }); };
  const auto replacing = [&](const std::filesystem::path& path) { return refusal([&] { check_replaceable(path); }); };
  const std::string at = folder.path().string();
  CHECK(opening(folder / "none") == at + "/none: cannot be opened: No such file or directory");
  CHECK(opening(folder / "pipe") == at + "/pipe: is a pipe, not a file");
  CHECK(opening(folder.path()) == at + ": is a folder, not a file");
  CHECK(opening("/dev/null") == "/dev/null: is a device, not a file");
  CHECK(replacing(folder / "pipe") == at + "/pipe: is a pipe, which no file replaces. Give another name.");
  CHECK(replacing(folder.path()) == at + ": is a folder, which no file replaces. Give another name.");
  CHECK(replacing("/dev/null") == "/dev/null: is a device, which no file replaces. Give another name.");
}

}  // namespace regular_file_test
