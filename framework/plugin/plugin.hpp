#pragma once

#include <harmonium/framework/plugin/registries.hpp>
#include <harmonium/framework/plugin/stamp.hpp>

/// Once in a plugin, outside of any namespace: its name (small letters, digits, underscores), its version, what it is for
/// in a sentence, and a function `void(harmonium::Registries&)` that enrols its components.
#define HARMONIUM_PLUGIN(name, version, summary, enroll_function)                                          \
  extern "C" __attribute__((visibility("default"))) const ::harmonium::PluginStamp harmonium_plugin_stamp; \
  constinit const ::harmonium::PluginStamp harmonium_plugin_stamp =                                        \
      ::harmonium::plugin_stamp(8 * sizeof(::harmonium::Real), name, version, summary);                    \
  extern "C" __attribute__((visibility("default"))) void harmonium_plugin_enroll(void* registries) {       \
    enroll_function(*static_cast<::harmonium::Registries*>(registries));                                   \
  }                                                                                                        \
  static_assert(true)
