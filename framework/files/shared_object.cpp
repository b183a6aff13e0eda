#include <harmonium/framework/files/shared_object.hpp>

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

using ElfHeader = ElfW(Ehdr);
using Segment = ElfW(Phdr);
using Section = ElfW(Shdr);
using Symbol = ElfW(Sym);

constexpr unsigned char own_class = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;

/// What this program itself was built for.
bool for_this_machine(const ElfHeader& header) {
#if defined(__x86_64__)
  return header.e_machine == EM_X86_64;
#elif defined(__aarch64__)
  return header.e_machine == EM_AARCH64;
#else
  return header.e_machine != EM_NONE;
#endif
}

}  // namespace

std::span<const std::byte> SharedObject::bytes(std::uint64_t offset, std::uint64_t size) const {
  if (offset > file_->size() || size > file_->size() - offset)
    throw DataError(fmt::format("{}: the file is cut short or damaged.", path_.string()));
  return {reinterpret_cast<const std::byte*>(file_->data()) + offset, size};
}

template <class T>
T SharedObject::at(std::uint64_t offset) const {
  T value{};
  std::memcpy(&value, bytes(offset, sizeof(T)).data(), sizeof(T));
  return value;
}

SharedObject::SharedObject(const std::filesystem::path& path) : path_(path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    throw FileError(fmt::format("{}: {}.", path.string(),
                                std::filesystem::exists(path, error) ? "this is not a file" : "there is no such file"));
  const std::uint64_t size = std::filesystem::file_size(path, error);
  if (size > 0) file_ = MappedFile::open(path);
  if (size < sizeof(ElfHeader) || std::memcmp(file_->data(), ELFMAG, SELFMAG) != 0)
    throw DataError(fmt::format("{}: this is not a shared object.", path.string()));
  const auto header = at<ElfHeader>(0);
  if (header.e_type != ET_DYN) throw DataError(fmt::format("{}: this is not a shared object.", path.string()));
  if (header.e_ident[EI_CLASS] != own_class || !for_this_machine(header))
    throw DataError(fmt::format("{}: a shared object for another kind of machine.", path.string()));
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    const auto segment = at<Segment>(header.e_phoff + std::uint64_t{i} * sizeof(Segment));
    if (segment.p_type == PT_LOAD) bytes(segment.p_offset, segment.p_filesz);
  }
}

std::span<const std::byte> SharedObject::constant(std::string_view symbol) const {
  const auto header = at<ElfHeader>(0);
  const auto section = [&](std::uint64_t i) { return at<Section>(header.e_shoff + i * sizeof(Section)); };
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const Section symbols = section(i);
    if (symbols.sh_type != SHT_DYNSYM) continue;
    const Section strings = section(symbols.sh_link);
    const auto names = bytes(strings.sh_offset, strings.sh_size);
    for (std::uint64_t k = 0; k < symbols.sh_size / sizeof(Symbol); ++k) {
      const auto entry = at<Symbol>(symbols.sh_offset + k * sizeof(Symbol));
      if (entry.st_shndx == SHN_UNDEF || entry.st_name >= names.size()) continue;
      const char* first = reinterpret_cast<const char*>(names.data()) + entry.st_name;
      if (std::string_view(first, ::strnlen(first, names.size() - entry.st_name)) != symbol) continue;
      // An address in memory; the segment that holds it says where that is in the file.
      for (unsigned s = 0; s < header.e_phnum; ++s) {
        const auto segment = at<Segment>(header.e_phoff + std::uint64_t{s} * sizeof(Segment));
        if (segment.p_type != PT_LOAD || entry.st_value < segment.p_vaddr) continue;
        const std::uint64_t within = entry.st_value - segment.p_vaddr;
        if (within < segment.p_filesz && entry.st_size <= segment.p_filesz - within)
          return bytes(segment.p_offset + within, entry.st_size);
      }
    }
  }
  return {};
}

}  // namespace v1
}  // namespace harmonium
