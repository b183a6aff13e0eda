#include <harmonium/tests/support/paths.hpp>

namespace harmonium::testing {

// The only source that knows where it was built: all others compile to the same objects in every checkout.
const char* source_folder() { return HARMONIUM_SOURCE_DIR; }
const char* program_path() { return HARMONIUM_PROGRAM; }
const char* default_data_folder() { return HARMONIUM_DEFAULT_DATA; }

}  // namespace harmonium::testing
