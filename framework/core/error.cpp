#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace v1 {

// Out of line, so that each class has one home and can be caught across shared objects.
Error::~Error() = default;
ConfigError::~ConfigError() = default;
CapabilityError::~CapabilityError() = default;
DataError::~DataError() = default;
FileError::~FileError() = default;
NumericalError::~NumericalError() = default;
Stopped::~Stopped() = default;
PluginError::~PluginError() = default;

}  // namespace v1
}  // namespace harmonium
