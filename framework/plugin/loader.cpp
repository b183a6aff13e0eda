#include <harmonium/framework/plugin/loader.hpp>

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/config/written_at.hpp>
#include <harmonium/framework/core/version.hpp>
#include <harmonium/framework/files/shared_object.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

namespace fs = std::filesystem;

constexpr unsigned own_bits = 8 * sizeof(Real);
constexpr const char* suffix = own_bits == 32 ? "_f32.so" : ".so";

std::string precision_name(unsigned bits) { return fmt::format("float{}", bits); }

template <std::size_t N>
std::string text(const std::array<char, N>& chars) {
  return {chars.data(), ::strnlen(chars.data(), N)};
}

void check_stamp(const fs::path& path, const PluginStamp& stamp) {
  const std::string where = path.string() + ": ";
  if (stamp.abi != HARMONIUM_PLUGIN_ABI)
    throw PluginError(
        fmt::format("{}built for plugin interface {} (Harmonium {}), and this is interface {} (Harmonium "
                    "{}). Build it again against this Harmonium.",
                    where, stamp.abi, text(stamp.harmonium), HARMONIUM_PLUGIN_ABI, version()));
  if (stamp.real_bits != own_bits)
    throw PluginError(
        fmt::format("{}built for precision = \"{}\", and what is run has \"{}\". Build it for that, as "
                    "harmonium_add_plugin does, or set the precision.",
                    where, precision_name(stamp.real_bits), precision_name(own_bits)));
  if (text(stamp.toolchain) != HARMONIUM_TOOLCHAIN)
    throw PluginError(fmt::format("{}built with '{}', and this Harmonium with '{}'. Build it with the same library.",
                                  where, text(stamp.toolchain), HARMONIUM_TOOLCHAIN));
}

/// The enrolling function of a shared object whose stamp is ours.
void (*open_plugin(const fs::path& path))(void*) {
  // Never closed. Local: two plugins may use the same names. Now: what it needs and nobody has is told here.
  void* handle = ::dlopen(fs::absolute(path).c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!handle) {
    const char* why = ::dlerror();
    throw PluginError(fmt::format("{}: it cannot be loaded: {}. Build it again against this Harmonium.", path.string(),
                                  why ? why : "the system gives no reason"));
  }
  void* found = ::dlsym(handle, plugin_enroll_symbol);
  if (!found)
    throw PluginError(
        fmt::format("{}: it has no function '{}'. Write HARMONIUM_PLUGIN(...) once, outside of any "
                    "namespace.",
                    path.string(), plugin_enroll_symbol));
  return reinterpret_cast<void (*)(void*)>(found);
}

fs::path installed_folder() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&plugin_folders), &info) == 0 || !info.dli_fname) return {};
  return fs::absolute(info.dli_fname).parent_path() / "harmonium" / "plugins";
}

bool is_plain_name(const std::string& name) {
  return !name.empty() &&
         std::ranges::all_of(name, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

/// name.so of name_f32.so, and the reverse.
fs::path twin_of(const fs::path& path) {
  std::string stem = path.stem().string();
  if (stem.ends_with("_f32")) stem.resize(stem.size() - 4);
  else stem += "_f32";
  return path.parent_path() / (stem + ".so");
}

fs::path file_of_name(const std::string& name, const std::string& place) {
  std::vector<std::string> looked;
  fs::path other;
  for (const fs::path& folder : plugin_folders()) {
    if (fs::path file = folder / (name + suffix); is_file(file)) return file;
    if (const fs::path twin = twin_of(folder / (name + suffix)); other.empty() && is_file(twin)) other = twin;
    looked.push_back(folder.string());
  }
  if (!other.empty())
    throw PluginError(
        fmt::format("{}plugin '{}' is there for {} alone ({}). Build it for {} too, as "
                    "harmonium_add_plugin does, or set the precision.",
                    place, name, precision_name(96 - own_bits), other.string(), precision_name(own_bits)));
  throw PluginAbsent(
      fmt::format("{}plugin '{}' is not found: there is no {}{} in {}. Give its file by --plugin, or its folder in "
                  "HARMONIUM_PLUGIN_PATH.",
                  place, name, name, suffix, fmt::join(looked, ", ")));
}

bool is_path(const std::string& given) { return given.find('/') != std::string::npos || given.ends_with(".so"); }

/// The file that `--plugin given` means.
fs::path file_of(const std::string& given) {
  if (!is_path(given)) {
    if (!is_plain_name(given))
      throw PluginError(fmt::format("--plugin {}: neither the name of a plugin nor a file that ends in .so.", given));
    return file_of_name(given, "--plugin: ");
  }
  fs::path path = given;
  if (path.extension() != ".so") path += suffix;
  if (fs::path twin = twin_of(path); is_file(path) && is_file(twin)) {
    const PluginStamp stamp = read_plugin_stamp(path);
    if (stamp.abi == HARMONIUM_PLUGIN_ABI && stamp.real_bits != own_bits) return twin;
  }
  return path;
}

bool has_plugin(const Registries& registries, const std::string& name) {
  return std::ranges::any_of(registries.plugins(), [&](const LoadedPlugin& p) { return p.name == name; });
}

}  // namespace

PluginAbsent::~PluginAbsent() = default;

std::vector<fs::path> plugin_folders() {
  std::vector<fs::path> folders;
  const char* variable = std::getenv("HARMONIUM_PLUGIN_PATH");
  const std::string all = variable ? variable : "";
  for (std::size_t from = 0; from <= all.size();) {
    const std::size_t to = std::min(all.find(':', from), all.size());
    if (to > from) folders.emplace_back(all.substr(from, to - from));
    from = to + 1;
  }
  if (fs::path own = installed_folder(); !own.empty()) folders.push_back(std::move(own));
  return folders;
}

PluginStamp read_plugin_stamp(const fs::path& path) try {
  const SharedObject object(path);
  const auto bytes = object.constant(plugin_stamp_symbol);
  PluginStamp stamp{};
  constexpr std::size_t what_never_moves = offsetof(PluginStamp, name);
  if (bytes.size() < what_never_moves)
    throw PluginError(
        fmt::format("{}: a shared object, but no plugin: it has no '{}'. Write HARMONIUM_PLUGIN(...) "
                    "once, outside of any namespace.",
                    path.string(), plugin_stamp_symbol));
  std::memcpy(&stamp, bytes.data(), std::min(sizeof stamp, bytes.size()));
  // More bytes than it has: an address sanitizer's padding.
  if (stamp.abi == HARMONIUM_PLUGIN_ABI && (bytes.size() < sizeof stamp || !is_plain_name(text(stamp.name))))
    throw PluginError(fmt::format("{}: its '{}' is none of ours.", path.string(), plugin_stamp_symbol));
  return stamp;
} catch (const FileError& error) {
  throw PluginError(error.what());
} catch (const DataError& error) {
  throw PluginError(error.what());
}

void load_plugin(const fs::path& path, Registries& into) {
  const PluginStamp stamp = read_plugin_stamp(path);
  check_stamp(path, stamp);
  const std::string name = text(stamp.name), origin = fmt::format("plugin {} {}", name, text(stamp.version));
  for (const LoadedPlugin& other : into.plugins()) {
    if (other.name != name) continue;
    std::error_code error;
    if (fs::equivalent(other.path, path, error)) return;
    throw PluginError(fmt::format("{}: a plugin called '{}' is loaded already, from {}. Leave one out.", path.string(),
                                  name, other.path));
  }

  void (*const enroll)(void*) = open_plugin(path);
  Registries staged = into;
  staged.set_origin(origin);
  const auto fail = [&](const std::string& why) {
    throw PluginError(fmt::format("{}: {} could not enrol its components: {}", path.string(), origin, why));
  };
  try {
    enroll(&staged);
  } catch (const std::exception& error) {
    fail(error.what());
  } catch (...) {
    fail("it threw something that is no std::exception.");
  }
  staged.set_origin("built in");
  staged.add_plugin({name, text(stamp.version), text(stamp.summary), path.string()});
  into = std::move(staged);
}

void load_plugins(std::span<const std::string> given, const Value* named, Registries& into) {
  for (const std::string& plugin : given) load_plugin(file_of(plugin), into);
  if (!named || !(named->is_list() || named->is_string())) return;
  for (const Value& value : named->is_list() ? std::get<Value::List>(named->data) : Value::List{*named}) {
    if (!value.is_string()) continue;  // told by whoever reads the configuration
    const std::string& name = std::get<std::string>(value.data);
    const std::string place = written_at(value.where.empty() ? *named : value);
    if (!is_plain_name(name))
      throw PluginError(
          fmt::format("{}'{}' cannot be the name of a plugin, and a configuration names no files. Give "
                      "the name alone, and its folder in HARMONIUM_PLUGIN_PATH or its file by --plugin.",
                      place, name));
    if (has_plugin(into, name)) continue;
    const fs::path file = file_of_name(name, place);
    if (const std::string own = text(read_plugin_stamp(file).name); own != name)
      throw PluginError(
          fmt::format("{}{}: the plugin in it calls itself '{}'. Give the file that name.", place, file.string(), own));
    try {
      load_plugin(file, into);
    } catch (const PluginError& error) {
      throw PluginError(place + error.what());
    }
  }
}

std::vector<FoundPlugin> found_plugins(std::span<const std::string> given) {
  std::vector<FoundPlugin> found;
  const auto add = [&](const fs::path& file, bool was_given) {
    if (std::ranges::find(found, file, &FoundPlugin::file) == found.end()) found.push_back({file, was_given});
  };
  for (const std::string& plugin : given) {
    if (!is_path(plugin))
      throw PluginError(fmt::format("--plugin {}: what is found by its name is listed anyway. Give a file.", plugin));
    add(file_of(plugin), true);
  }
  for (const fs::path& folder : plugin_folders()) {
    std::vector<fs::path> here;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error))
      if (entry.path().extension() == ".so") here.push_back(entry.path());
    std::ranges::sort(here);
    for (const fs::path& file : here) add(file, false);
  }
  return found;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
