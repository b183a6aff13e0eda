#include <harmonium/framework/files/npz_writer.hpp>

#include <bit>
#include <memory>

#include <zip.h>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/utf8.hpp>
#include <harmonium/framework/files/atomic_file.hpp>
#include <harmonium/framework/files/npy_start.hpp>
#include <harmonium/framework/files/zip_handle.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

struct FreeSource {
  void operator()(zip_source_t* source) const { ::zip_source_free(source); }
};
using Source = std::unique_ptr<zip_source_t, FreeSource>;

static_assert(std::endian::native == std::endian::little, "arrays are declared little-endian");

template <class T>
std::string array_bytes(std::span<const T> values, std::span<const Index> shape, const char* descr) {
  std::string sizes;
  Index count = 1;
  for (const Index n : shape) sizes += fmt::format("{},", n), count *= n;
  HARMONIUM_ASSERT(count == values.size());
  return npy_start(fmt::format("'{}'", descr), fmt::format("({})", sizes))
      .append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

[[noreturn]] void fail(const std::filesystem::path& path, const char* words) {
  throw FileError(fmt::format("{}: cannot be written: {}", path.string(), words));
}

void add_member(zip_t* archive, const std::string& name, const std::string& bytes, const std::filesystem::path& path) {
  zip_source_t* const content = ::zip_source_buffer(archive, bytes.data(), bytes.size(), 0);
  const zip_int64_t index = content ? ::zip_file_add(archive, (name + ".npy").c_str(), content, ZIP_FL_ENC_UTF_8) : -1;
  if (index < 0) {
    ::zip_source_free(content);
    fail(path, ::zip_strerror(archive));
  }
  constexpr zip_uint16_t first_of_1980 = (1u << 5) | 1u;  // the time of writing is no part of the content
  const auto member = static_cast<zip_uint64_t>(index);
  if (::zip_set_file_compression(archive, member, ZIP_CM_STORE, 0) != 0 ||
      ::zip_file_set_dostime(archive, member, 0, first_of_1980, 0) != 0)
    fail(path, ::zip_strerror(archive));
}

std::string content_of(zip_source_t* source, const std::filesystem::path& path) {
  zip_stat_t found;
  ::zip_stat_init(&found);
  if (::zip_source_stat(source, &found) != 0 || ::zip_source_open(source) != 0)
    fail(path, ::zip_error_strerror(::zip_source_error(source)));
  std::string bytes(found.size, '\0');
  const zip_int64_t read = ::zip_source_read(source, bytes.data(), bytes.size());
  ::zip_source_close(source);
  if (read < 0 || static_cast<std::size_t>(read) != bytes.size())
    fail(path, ::zip_error_strerror(::zip_source_error(source)));
  return bytes;
}

}  // namespace

void NpzWriter::add(const std::string& name, std::span<const float> values, std::span<const Index> shape) {
  members_.emplace_back(name, array_bytes(values, shape, "<f4"));
}
void NpzWriter::add(const std::string& name, std::span<const double> values, std::span<const Index> shape) {
  members_.emplace_back(name, array_bytes(values, shape, "<f8"));
}
void NpzWriter::add(const std::string& name, std::span<const std::uint8_t> values, std::span<const Index> shape) {
  members_.emplace_back(name, array_bytes(values, shape, "|u1"));
}
void NpzWriter::add(const std::string& name, std::span<const std::int64_t> values, std::span<const Index> shape) {
  members_.emplace_back(name, array_bytes(values, shape, "<i8"));
}

void NpzWriter::add_text(const std::string& name, std::string_view text) {
  const std::u32string characters = utf32_of(text);
  members_.emplace_back(
      name, npy_start(fmt::format("'<U{}'", characters.size()), "()")
                .append(reinterpret_cast<const char*>(characters.data()), characters.size() * sizeof(char32_t)));
}

void NpzWriter::write(const std::filesystem::path& path) const {
  zip_error_t error;
  ::zip_error_init(&error);
  const Source whole(::zip_source_buffer_create(nullptr, 0, 0, &error));
  if (!whole) fail(path, ::zip_error_strerror(&error));
  ::zip_source_keep(whole.get());  // the archive takes one hold, and its content is read after that
  ZipHandle archive(::zip_open_from_source(whole.get(), ZIP_TRUNCATE, &error));
  if (!archive) {
    ::zip_source_free(whole.get());
    fail(path, ::zip_error_strerror(&error));
  }
  for (const auto& [name, bytes] : members_) add_member(archive.get(), name, bytes, path);
  if (::zip_close(archive.get()) != 0) fail(path, ::zip_strerror(archive.get()));
  (void)archive.release();
  write_file_atomically(path, content_of(whole.get(), path));
}

}  // namespace v1
}  // namespace harmonium
