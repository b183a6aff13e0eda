#pragma once

#include <string>
#include <string_view>

namespace harmonium {
inline namespace v1 {

/// A text as it stands in HTML and XML, within elements and attributes: & < > " ' by name or number.
std::string escaped_markup(std::string_view text);
/// The text that this is of.
std::string unescaped_markup(std::string_view markup);

}  // namespace v1
}  // namespace harmonium
