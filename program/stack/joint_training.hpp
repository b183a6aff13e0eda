#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/config/value.hpp>
#include <harmonium/program/stack/stack_file.hpp>

namespace harmonium {
inline namespace v1 {

// Of a stack whose machines are to be one deep Boltzmann machine (Salakhutdinov & Hinton 2009, section 3.2).

/// Reads the table [joint] of a stack's file, or the list of them, into `stack`. Throws ConfigError for what follows from the
/// machines, and for a start that such machines have not.
void read_joint(const Value& file, const Value& joint, StackFile& stack);

/// The estimator of machine `k`, from 0, the units of one side, "observed" or "latent", counting twice: that of `config`, 'cd' or
/// 'pcd', as one of the type 'doubled'. Throws ConfigError for others, and for options that have no place there.
Value doubled_estimator(const Value& config, const std::string& units, std::size_t k);

/// The configurations of the training of all layers, phase by phase, as `base` and the file have them: the data of the lowest
/// machine, the model that all of them make, and a seed of its own; where it starts is not said. Throws ConfigError for machines
/// that make none.
std::vector<Value> configs_of_joint(const StackFile& stack, const Value& base, const std::vector<Value>& machines);

}  // namespace v1
}  // namespace harmonium
