#pragma once

#include <harmonium/framework/testing/chi_square.hpp>

namespace harmonium::testing {
using namespace conformance;
}
