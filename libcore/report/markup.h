#pragma once
#include <string>
#include <string_view>

namespace frugal {

/// Text for HTML and XML, in elements and quoted attributes: & < > " ' become entities, bytes that
/// are no UTF-8 and control characters U+FFFD.
std::string escape_markup(std::string_view text);

/// Approximate width of text in a sans-serif font, in units of the font size's pixels: good to a
/// tenth, for margins and legends where nothing can measure.
double text_width(std::string_view text, double font_size);

/// `text`, or as much of its beginning as fits with an ellipsis.
std::string shorten(const std::string& text, double font_size, double max_width);

/// A coordinate with at most two decimals: enough for a hundredth of a pixel, short in the file.
std::string coordinate(double value);

/// A number for labels and descriptions: 93.41, 1.235M.
std::string short_number(double value, int digits = 5);

}  // namespace frugal
