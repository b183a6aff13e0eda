#pragma once

#include <string>

#include <harmonium/framework/config/value.hpp>

namespace harmonium {
inline namespace v1 {

/// `config`, the configuration of a run that fine-tunes a stack, with its model: the machines of these tables [model], a list.
Value with_untied_stack(Value config, const Value& machines);
/// The same with the model of a file, which the run starts from.
Value fine_tuning_of(Value config, const std::string& model);
/// Makes `to` the model that is in `from`, with its checksum.
void copy_model(const std::string& from, const std::string& to);

}  // namespace v1
}  // namespace harmonium
