#pragma once
#include <string>

#include "tools/hw-probe/machine/machine.h"

namespace frugal::probe {

/// The text for people, many lines.
std::string machine_text(const Machine& machine);
/// NAME=value lines for Makefiles and shells: plain words and numbers only, so no quotes are
/// needed.
std::string machine_variables(const Machine& machine);

}  // namespace frugal::probe
