#pragma once

#include <harmonium/framework/testing/stationarity.hpp>
#include <harmonium/tests/support/law.hpp>

namespace harmonium::testing {
using namespace conformance;
}
