#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <harmonium/framework/plugin/registries.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Makes components as the registries do, and remembers every one, those inside of others too.
class ComponentRecorder final : public ComponentMaker {
 public:
  struct Made {
    std::string kind, name, where;
    Value spec;  ///< every default written out
  };
  explicit ComponentRecorder(const Registries& registries) : registries_(registries) {}
  void* make_component(std::string_view kind, const Value& spec, Value& effective) const override {
    void* made = registries_.make_component(kind, spec, effective, *this);
    const Value* type = effective.find("type");
    made_.push_back({std::string(kind), type ? std::get<std::string>(type->data) : "", spec.where, effective});
    return made;
  }
  const std::vector<Made>& made() const { return made_; }

 private:
  const Registries& registries_;
  mutable std::vector<Made> made_;
};

template <class I>
std::unique_ptr<I> make_of(const ComponentMaker& maker, const Value& spec) {
  Value effective;
  return std::unique_ptr<I>(static_cast<I*>(maker.make_component(I::kind, spec, effective)));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
