#pragma once
#include <string>

#include "libcore/tensors/tensor_file.h"

namespace frugal {

/// The history with the times of its runs left out: equal commands, equal texts.
std::string history_without_times(const std::string& history);

/// Whether two tensor files hold the same documents, packed alike, whatever the times of their
/// histories are. False for a file that cannot be read.
bool have_same_content(const std::string& path, const std::string& other);

}  // namespace frugal
