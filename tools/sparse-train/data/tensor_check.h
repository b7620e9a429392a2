#pragma once
#include <optional>
#include <string>

#include "libcore/tensors/tensor_file.h"
#include "tools/sparse-train/data/dataset.h"

namespace frugal::sparse {

/// Fails (bad_input) with path and place unless places ascend, both parts have equally many
/// examples, and ids are below the numbers of features and labels, where those are not 0; sets them
/// where they are.
void check_tensor_data(const std::string& path, Dataset& data);

/// The arrays of a file that write_tensor_data() wrote, mapped where they lie; nothing where the
/// file is compressed, no regular file or of other types.
std::optional<Dataset> map_tensor_data(const std::string& path, const DocumentInfo& info);

}  // namespace frugal::sparse
