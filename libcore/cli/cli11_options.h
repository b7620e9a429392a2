#pragma once
#include <functional>

#include "libcore/options/option_fields.h"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11 named it
class App;
}

namespace frugal {

/// Describes the options that `add_options` registers with CLI11.
void add_cli11_options(const OptionFields& fields,
                       const std::function<void(CLI::App&)>& add_options);

}  // namespace frugal
