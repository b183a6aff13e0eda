// Enrols one component of its own, then one whose name is taken: neither may be there afterwards.
#include <harmonium/framework/plugin/plugin.hpp>

using namespace harmonium;

namespace {

struct Alias {
  void bind(OptionBinder&) {}
  Value expand(const Value&) const { return make_table({{"type", make_value("constant")}}); }
};

void enroll(Registries& registries) {
  registries.of<Schedule>().add_preset<Alias>("own", "constant");
  registries.of<Schedule>().add_preset<Alias>("linear", "a name that is taken");
}

}  // namespace

HARMONIUM_PLUGIN("duplicate", "0.2.0", "offers a name that is taken", enroll);
