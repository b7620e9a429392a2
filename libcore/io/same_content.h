#pragma once
#include <string>

#include "libcore/io/tensor_file.h"

namespace frugal {

/// The history with the times of its runs left out: equal commands, equal texts.
std::string history_without_times(const std::string& history);

/// Whether the regular file at `path` holds this one document, packed as `options` say, whatever
/// the times of its history are. False for a file that cannot be read.
bool has_same_content(const std::string& path, const Document& document,
                      const TensorWriteOptions& options);

}  // namespace frugal
