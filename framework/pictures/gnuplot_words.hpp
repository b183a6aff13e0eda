#pragma once

#include <cstddef>
#include <string>

namespace harmonium {
inline namespace v1 {

/// A string of gnuplot's, in single quotes, on one line.
std::string gnuplot_text(const std::string& text);

inline constexpr std::size_t num_plot_colors = 8;
/// Color number `number`, after the last one the first: told apart by those who see few colors, too (Okabe & Ito 2008), and
/// a last one.
const char* plot_color(std::size_t number);

}  // namespace v1
}  // namespace harmonium
