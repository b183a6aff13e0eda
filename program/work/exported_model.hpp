#pragma once

namespace harmonium {
inline namespace v1 {

/// What export says of a model beside its parameters: `precision`, `plugins` and [model], as the model file has them, but for
/// masks.
inline constexpr const char* exported_model_file = "model.toml";

}  // namespace v1
}  // namespace harmonium
