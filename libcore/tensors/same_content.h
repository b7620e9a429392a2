#pragma once
#include <string>

#include "libcore/tensors/tensor_file.h"

namespace frugal {

/// Removes the times of the runs from a history, so that equal commands give equal texts.
std::string history_without_times(const std::string& history);

/// Whether two tensor files hold equal documents with equal packing. Times in the history are
/// ignored. False if a file cannot be read.
bool have_same_content(const std::string& path, const std::string& other);

}  // namespace frugal
