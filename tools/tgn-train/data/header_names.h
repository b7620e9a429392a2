#pragma once
#include <span>
#include <string>
#include <vector>

#include "libcore/tensors/tensor_file.h"

namespace frugal::tgn {

/// Names that a header gives some columns, in the order of their use; empty without names.
using HeaderNames = std::vector<std::string>;

// Metadata of events files and of models, lists in JSON.
inline constexpr char kFeaturesKey[] = "tgn.features";  ///< in the order that the network has them
inline constexpr char kColumnsKey[] = "tgn.columns";    ///< of source, destination and time

void add_header_names(const char* key, const HeaderNames& names, Metadata& metadata);
/// Fails (bad_input) with `path` for what is no such list.
HeaderNames header_names_of(const char* key, const Metadata& metadata, const std::string& path);

}  // namespace frugal::tgn
