#pragma once

#include <functional>
#include <string>
#include <vector>

#include <harmonium/framework/config/value.hpp>
#include <harmonium/program/settings.hpp>

namespace harmonium {
inline namespace v1 {

// What a machine above the first cannot take from the configuration that all machines share, which is written for the data.

/// Where the model of `config` says of what layers the columns of the data are ('mixed', 'layered'), puts an RBM in its place, with as
/// many hidden units, of their kind, as it has.
void take_rbm_for_columns(Value& config);

/// What a note says of machine `k`, from 0, to which that was done: `config` is its configuration and `below` that of the machine below.
/// Empty where it was not done of `shared`, or where `own`, the machine's settings, have a model of another type.
std::string words_on_rbm(const Value& shared, const Settings& own, const Value& below, const Value& config,
                         std::size_t k);

/// Takes out of optimizer.factors those that come from the shared configuration and of whose parameters `known` says no. `own`: the
/// settings of `config` itself, whose factors stay. Returns these parameters.
std::vector<std::string> leave_out_factors(const Settings& own, const std::function<bool(const std::string&)>& known,
                                           Value& config);

/// Whether there are factors of the shared configuration.
bool has_shared_factors(const Settings& own, const Value& config);

}  // namespace v1
}  // namespace harmonium
