#include <harmonium/framework/plugin/registries.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

template <class I>
bool make_if(const Registry<I>& registry, std::string_view kind, const Value& spec, const ComponentMaker& all,
             Value& effective, void*& made) {
  if (kind != I::kind) return false;
  made = registry.make(spec, all, effective).release();
  return true;
}

template <class I>
void append(const Registry<I>& registry, std::vector<ComponentInfo>& out) {
  for (const auto& [name, entry] : registry.entries())
    out.push_back({I::kind, name, entry.summary, entry.origin, entry.describe(), entry.example});
}

template <class I>
std::string kind_of(const Registry<I>&) {
  return I::kind;
}

}  // namespace

void* Registries::make_component(std::string_view kind, const Value& spec, Value& effective) const {
  return make_component(kind, spec, effective, *this);
}

void* Registries::make_component(std::string_view kind, const Value& spec, Value& effective,
                                 const ComponentMaker& nested) const {
  void* made = nullptr;
  const bool known = std::apply(
      [&](const auto&... registry) { return (make_if(registry, kind, spec, nested, effective, made) || ...); }, all_);
  if (!known) throw std::logic_error("there is no kind of component called '" + std::string(kind) + "'");
  return made;
}

void Registries::set_origin(const std::string& origin) {
  std::apply([&](auto&... registry) { ((registry.origin = origin), ...); }, all_);
}

std::vector<std::string> Registries::kinds() const {
  std::vector<std::string> kinds;
  std::apply([&](const auto&... registry) { (kinds.push_back(kind_of(registry)), ...); }, all_);
  return kinds;
}

std::vector<ComponentInfo> Registries::components() const {
  std::vector<ComponentInfo> all;
  std::apply([&](const auto&... registry) { (append(registry, all), ...); }, all_);
  return all;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
