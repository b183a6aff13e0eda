#include <harmonium/framework/inference/sharding.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

ShardPhase::~ShardPhase() = default;
ShardEstimator::~ShardEstimator() = default;

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
