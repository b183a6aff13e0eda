#include <harmonium/framework/files/sha256.hpp>

#include <filesystem>
#include <string>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace sha256_test {

using namespace harmonium;
using harmonium::testing::content_of;
using harmonium::testing::message_of;
using harmonium::testing::ScratchFolder;

// Known answers: FIPS 180-2, appendix B, and NIST's example of the empty message.
TEST_CASE("SHA-256 gives the published answers") {
  CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  const std::string million(1000000, 'a');
  const std::string answer = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";
  CHECK(sha256(million) == answer);
  const ScratchFolder folder;
  CHECK(sha256_of_file(folder.write("a", million)) == answer);
  CHECK_THROWS_AS(sha256_of_file(folder / "none"), FileError);
  CHECK_THROWS_AS(sha256_of_file(folder.path()), FileError);
}

TEST_CASE("a checksum beside a file tells whether it is the one that was written") {
  const ScratchFolder folder;
  const auto path = folder.write("model.h5", "abc");
  CHECK(check_checksum(path) == Checksum::absent);
  write_checksum(path);
  CHECK(content_of(folder / "model.h5.sha256") ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  model.h5\n");
  CHECK(check_checksum(path) == Checksum::matches);
  folder.write("model.h5", "abd");
  CHECK(message_of<DataError>([&] { check_checksum(path); }).find("not the file that was written") !=
        std::string::npos);
  for (const char* malformed :
       {"", "ba7816bf", "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD  model.h5\n"}) {
    folder.write("model.h5.sha256", malformed);
    CHECK(message_of<DataError>([&] { check_checksum(path); }).find("no checksum as sha256sum writes it") !=
          std::string::npos);
  }
  std::filesystem::remove(path);
  write_checksum(folder.write("other", "x"));
  std::filesystem::remove(folder / "other");
  CHECK_THROWS_AS(check_checksum(folder / "other"), FileError);
}

}  // namespace sha256_test
