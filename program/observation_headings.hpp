#pragma once

#include <string>

#include <harmonium/program/work/observation.hpp>

namespace harmonium {
inline namespace v1 {

/// What the tables of `observe` call an average: "<|m|>" of abs_magnetization. Products of spins are δ of sites, whose squared means
/// are of their shares p(a). The name itself where no table has it.
std::string heading_of(const Observation& found, const std::string& name);

}  // namespace v1
}  // namespace harmonium
