#pragma once
#include <string>
#include <string_view>

namespace frugal {

/// Escapes text for HTML and XML elements and quoted attributes: & < > " ' become entities; bytes
/// that are not UTF-8 and control characters become U+FFFD.
std::string escape_markup(std::string_view text);

/// Approximate width of text in a sans-serif font, in pixels for a font size in pixels. Accurate to
/// a tenth, for margins and legends where it cannot be measured.
double text_width(std::string_view text, double font_size);

/// `text`, or the part of its beginning that fits, with an ellipsis.
std::string shorten(const std::string& text, double font_size, double max_width);

/// A coordinate with at most two decimals, i.e. a hundredth of a pixel.
std::string coordinate(double value);

/// A number for labels and descriptions: 93.41, 1.235M.
std::string short_number(double value, int digits = 5);

}  // namespace frugal
