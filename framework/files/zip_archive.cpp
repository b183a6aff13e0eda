#include <harmonium/framework/files/zip_archive.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <unistd.h>
#include <zip.h>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/regular_file.hpp>
#include <harmonium/framework/files/zip_handle.hpp>

namespace harmonium {
inline namespace v1 {
// Not in the namespace without a name: State, which others know of, holds them.
struct CloseZipMember {
  void operator()(zip_file_t* member) const { ::zip_fclose(member); }
};

namespace {

ZipHandle open_archive(const std::filesystem::path& path) {
  RegularFile file(path);
  int code = ZIP_ER_OK;
  ZipHandle archive(::zip_fdopen(file.descriptor(), ZIP_CHECKCONS, &code));
  if (archive) {
    file.release();
    return archive;
  }
  if (code == ZIP_ER_MEMORY) throw FileError(fmt::format("{}: cannot be read: out of memory", path.string()));
  zip_error_t error;
  ::zip_error_init_with_code(&error, code);
  const std::string words = ::zip_error_strerror(&error);
  ::zip_error_fini(&error);
  throw DataError(fmt::format("{}: the zip archive is damaged: {}. Fetch or make it again.", path.string(), words));
}

/// Whether a member can have the size that it is said to have.
bool is_possible(const zip_stat_t& member) {
  constexpr std::uint64_t most_of_deflate = 1032;  // 258 bytes of 2 bits
  if ((member.valid & ZIP_STAT_SIZE) == 0 || (member.valid & ZIP_STAT_COMP_SIZE) == 0) return false;
  return member.comp_method == ZIP_CM_STORE ? member.size == member.comp_size
                                            : member.size / most_of_deflate <= member.comp_size;
}

}  // namespace

bool is_zip_archive(const std::filesystem::path& path) {
  const RegularFile file(path);
  char begin[4] = {};
  const bool whole = ::pread(file.descriptor(), begin, 4, 0) == 4;
  // Of members, or, of an archive of none, its end.
  return whole && (std::memcmp(begin, "PK\3\4", 4) == 0 || std::memcmp(begin, "PK\5\6", 4) == 0);
}

std::vector<ZipMember> read_zip_directory(const std::filesystem::path& path) {
  const ZipHandle archive = open_archive(path);
  std::vector<ZipMember> members;
  const auto count = static_cast<std::uint64_t>(std::max<zip_int64_t>(::zip_get_num_entries(archive.get(), 0), 0));
  for (std::uint64_t i = 0; i < count; ++i) {
    zip_stat_t found;
    if (::zip_stat_index(archive.get(), i, ZIP_FL_ENC_RAW, &found) != 0 || !is_possible(found))
      throw DataError(
          fmt::format("{}: the zip archive is damaged: its member {} cannot have the size that it is said "
                      "to have. Fetch or make it again.",
                      path.string(), i));
    members.push_back({found.name, i, found.size});
  }
  return members;
}

struct ZipMemberReader::State {
  [[noreturn]] void fail(std::string_view problem) const {
    throw DataError(
        fmt::format("{}: its member '{}' is damaged: {}. Fetch or make it again.", name, member.name, problem));
  }
  std::size_t read(void* out, std::size_t size) {
    const zip_int64_t got = ::zip_fread(content.get(), out, size);
    if (got >= 0) return static_cast<std::size_t>(got);
    const int code = ::zip_error_code_zip(::zip_file_get_error(content.get()));
    const std::string words = ::zip_file_strerror(content.get());
    if (code == ZIP_ER_MEMORY || code == ZIP_ER_READ)
      throw FileError(fmt::format("{}: cannot be read: {}", name, words));
    fail(words);
  }

  std::string name;
  ZipMember member;
  std::uint64_t given = 0;
  ZipHandle archive = {};
  std::unique_ptr<zip_file_t, CloseZipMember> content = {};  // goes before the archive
};

ZipMemberReader::ZipMemberReader(const std::filesystem::path& path, const ZipMember& member)
    : state_(std::make_unique<State>(State{path.string(), member})) {
  State& s = *state_;
  s.archive = open_archive(path);
  zip_stat_t found;
  if (::zip_stat_index(s.archive.get(), member.index, ZIP_FL_ENC_RAW, &found) != 0) s.fail("it is not there");
  if (found.encryption_method != ZIP_EM_NONE)
    throw DataError(fmt::format("{}: its member '{}' is encrypted. Make it without a password.", s.name, member.name));
  if (found.comp_method != ZIP_CM_STORE && found.comp_method != ZIP_CM_DEFLATE)
    throw DataError(fmt::format("{}: its member '{}' is compressed in another way than by deflate. Make it anew.",
                                s.name, member.name));
  s.content.reset(::zip_fopen_index(s.archive.get(), member.index, 0));
  if (!s.content) s.fail(::zip_strerror(s.archive.get()));
}

ZipMemberReader::~ZipMemberReader() = default;

std::size_t ZipMemberReader::read(void* out, std::size_t size) {
  State& s = *state_;
  std::size_t done = 0;
  const std::uint64_t left = s.member.size - s.given;
  const std::size_t wanted = std::min<std::uint64_t>(size, left);
  constexpr std::size_t at_a_time = std::size_t{1} << 30;
  while (done < wanted) {
    const std::size_t got = s.read(static_cast<char*>(out) + done, std::min(wanted - done, at_a_time));
    if (got == 0) s.fail(fmt::format("it has {} bytes, and should have {}", s.given + done, s.member.size));
    done += got;
  }
  s.given += done;
  // The checksum is looked at where the end is met.
  char more = 0;
  if (left > 0 && s.given == s.member.size && s.read(&more, 1) != 0)
    s.fail(fmt::format("it has more than the {} bytes that it should have", s.member.size));
  return done;
}

}  // namespace v1
}  // namespace harmonium
