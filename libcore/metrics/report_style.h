#pragma once
#include <string_view>

namespace frugal {

/// The style sheet of a report: type, light and dark palette, print. Series colours s0 to s7 are
/// told apart with the common forms of colour blindness and have a contrast of at least 3:1 to the
/// page.
std::string_view report_style();

}  // namespace frugal
