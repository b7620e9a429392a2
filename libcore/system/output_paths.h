#pragma once
#include <initializer_list>
#include <string>

namespace frugal {

/// Fails (usage) where `output` is a regular file that the command reads: it would be gone.
void keep_inputs(const std::string& output, std::initializer_list<std::string> inputs);

}  // namespace frugal
