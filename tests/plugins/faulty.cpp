// Shared objects with one fault each; tests/plugins/CMakeLists.txt defines which. They include no more than the stamp.
#include <cstdlib>
#include <stdexcept>

#include <harmonium/framework/plugin/stamp.hpp>

using namespace harmonium;

// A module without any function cannot be linked where lines that run are counted.
extern "C" __attribute__((visibility("default"))) int harmonium_faulty() { return 0; }

#if !defined(FAULT_no_stamp)
namespace {

consteval PluginStamp faulty_stamp() {
  PluginStamp stamp = plugin_stamp(8 * sizeof(Real), "faulty", "0.3.0", "has one fault");
#if defined(FAULT_other_abi)
  stamp.abi = 99;
  stamp.harmonium = stamp_text<24>("9.9.0");
#elif defined(FAULT_other_toolchain)
  stamp.toolchain = stamp_text<64>("another standard library");
#elif defined(FAULT_other_precision)
  stamp.real_bits = 32;
#endif
  return stamp;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const PluginStamp harmonium_plugin_stamp;
constinit const PluginStamp harmonium_plugin_stamp = faulty_stamp();
#endif

#if defined(FAULT_other_abi) || defined(FAULT_other_toolchain) || defined(FAULT_other_precision)
// What is refused by its stamp must not even be let to construct its globals.
namespace {
struct Unwelcome {
  Unwelcome() { std::abort(); }
} const unwelcome;
}  // namespace
#endif

#if defined(FAULT_undefined)
extern "C" void nobody_has_this();
#endif

#if !defined(FAULT_no_enroll) && !defined(FAULT_no_stamp)
extern "C" __attribute__((visibility("default"))) void harmonium_plugin_enroll(void*) {
#if defined(FAULT_throws)
  throw std::runtime_error("the moon is full");
#elif defined(FAULT_throws_a_number)
  throw 3;
#elif defined(FAULT_undefined)
  nobody_has_this();
#endif
}
#endif
