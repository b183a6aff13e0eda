#pragma once

namespace harmonium::testing {

/// The root of the source tree.
const char* source_folder();

/// The program that this build made.
const char* program_path();

/// The data sets that are used where HARMONIUM_DATA names no folder.
const char* default_data_folder();

}  // namespace harmonium::testing
