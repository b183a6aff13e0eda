#pragma once

#include <string>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/types.hpp>
#include <harmonium/program/work/shown_temperature.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The temperatures of a command, as `--betas` or in its place `--temperatures` lists them.
struct ListedTemperatures {
  std::string betas = {};         ///< FIRST:LAST:COUNT, FIRST:LAST:STEP, or numbers with commas between
  std::string temperatures = {};  ///< the same of T = 1/β

  bool given() const { return !betas.empty() || !temperatures.empty(); }
  bool by_temperature() const { return !temperatures.empty(); }
  ShownTemperature shown() const { return {by_temperature()}; }
  const char* option() const { return by_temperature() ? "--temperatures" : "--betas"; }
  /// Throws ConfigError where both are given.
  void check_only_one() const {
    if (!betas.empty() && !temperatures.empty())
      throw ConfigError("--temperatures: --betas names inverse temperatures already. Leave one of the two out.");
  }
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
