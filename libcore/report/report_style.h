#pragma once
#include <string>

namespace frugal {

/// Style sheet of a report: type, light and dark palette, print. Series colours s0 to s7 can be
/// told apart with the common forms of colour blindness, and have a contrast of at least 3:1 to the
/// page.
std::string report_style();
/// Style sheet of standalone figures: the light palette, without CSS variables, which many programs
/// that draw SVG do not support.
std::string figure_style();

}  // namespace frugal
