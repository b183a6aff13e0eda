#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace harmonium {
inline namespace v1 {

struct ZipMember;

/// The bytes of a plain or gzipped file, or of a file in a zip archive, in order. A truncated or damaged stream is a
/// DataError as soon as it is met; the checksum of the last part is only known to hold after `expect_end`. Not for
/// concurrent use.
class StreamReader {
 public:
  /// Throws FileError where the file is absent, a folder, or unreadable.
  explicit StreamReader(const std::filesystem::path& path);
  /// The content of a member of a zip archive; its name is ARCHIVE:MEMBER. Throws as ZipMemberReader does.
  StreamReader(const std::filesystem::path& archive, const ZipMember& member);
  ~StreamReader();
  StreamReader(const StreamReader&) = delete;
  StreamReader& operator=(const StreamReader&) = delete;

  /// The path, for messages.
  const std::string& name() const;
  /// Bytes of content handed out so far.
  std::uint64_t offset() const;
  /// More bytes of content than this the file cannot hold: its size, or what the best compression makes of it.
  std::uint64_t most_bytes() const;
  bool compressed() const;

  /// Up to `size` bytes; fewer only at the end of the file.
  std::size_t read_some(void* out, std::size_t size);
  /// Exactly `size` bytes. `what` names them in the DataError: "the header".
  void read_exactly(void* out, std::size_t size, std::string_view what);
  /// Throws DataError where anything follows.
  void expect_end();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace v1
}  // namespace harmonium
