#pragma once

#include <vector>

#include <harmonium/framework/core/types.hpp>
#include <harmonium/framework/model/layout.hpp>
#include <harmonium/program/work/listed_temperatures.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The inverse temperatures that `--betas` names, or, where they are given, those of the temperatures T = 1/β that `--temperatures` names;
/// descending. "FIRST:LAST:COUNT", evenly spaced with both ends; "FIRST:LAST:STEP", where the third number has a decimal point, an
/// exponent or a sign: from FIRST on, with LAST where steps lead there within rounding; or numbers with commas between. Throws ConfigError
/// for what is none of these, for a β below 0 and a T that is not above, for one that is given twice, for a step that does not lead to
/// LAST, for a T whose inverse is not finite, and for more than 1000.
std::vector<double> read_betas(const ListedTemperatures& listed);

/// At β = 0 each state weighs the same, or as the base measure has it: a unit without either has no law. Throws ConfigError, which begins
/// with `option` and ends with `remedy`, where the last of `betas` is 0 and a layer has none.
void check_laws_at_zero(const std::vector<double>& betas, const Layout& layout, const char* option = "--betas",
                        const char* remedy = "Let them end above 0.");

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
