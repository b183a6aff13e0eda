#pragma once

namespace harmonium {
inline namespace v1 {

/// How a page looks, as CSS: on a desk and on a telephone, in the light and in the dark, and printed.
extern const char* const page_style;

}  // namespace v1
}  // namespace harmonium
