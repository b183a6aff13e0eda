#pragma once

#include <string>

#include <harmonium/program/work/model_description.hpp>

namespace harmonium {
inline namespace v1 {

/// Whether what `inspect` is given is a model file, or the folder of a run or a stack, and no data.
bool names_model(const std::string& path);

std::string model_text(const ModelDescription& found);
std::string model_json(const ModelDescription& found);

}  // namespace v1
}  // namespace harmonium
