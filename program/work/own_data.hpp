#pragma once

#include <string>

#include <harmonium/framework/run/model_file.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The data that a model's run was trained and judged by, dealt as the run dealt it, where a command is given no other. `config` is that of
/// the model file. Throws as load_own_splits does, with `remedy` (a sentence) at the end; ConfigError where the model names no
/// data.
DataSplits own_data(const std::string& model, const Value& config, const Layout& layout, const Registries& registries,
                    const std::string& remedy);

/// "data.weights" or "data.reweight", by which the rows of a configuration's data weigh differently; empty where all weigh alike.
std::string weights_setting(const Value& config);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
