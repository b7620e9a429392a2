#pragma once
#include <string>

namespace frugal {

/// The style sheet of a report: type, light and dark palette, print. Series colours s0 to s7 are
/// told apart with the common forms of colour blindness and have a contrast of at least 3:1 to the
/// page.
std::string report_style();
/// What figures need of it, in the light palette and without variables, which many programs that
/// draw SVG do not know.
std::string figure_style();

}  // namespace frugal
