#pragma once
#include <span>
#include <string>
#include <vector>

#include "libcore/tensors/tensor_file.h"

namespace frugal::tgn {

/// Names of some columns in a header, in the order of their use; empty without names.
using HeaderNames = std::vector<std::string>;

// Metadata keys of events files and models; their values are JSON lists.
/// names of the features, in the network's order
inline constexpr char kFeaturesKey[] = "tgn.features";
inline constexpr char kColumnsKey[] = "tgn.columns";  ///< names of source, destination and time
/// Metadata key: name of the column of edge types, a text.
inline constexpr char kTypeColumnKey[] = "tgn.type_column";

/// The first names, for messages.
std::string some_of(std::span<const std::string> names);

/// A name that occurs twice, or null.
const std::string* repeated(const HeaderNames& names);

void add_header_names(const char* key, const HeaderNames& names, Metadata& metadata);
/// Reads such a list. Fails (bad_input) with `path` if it is invalid.
HeaderNames header_names_of(const char* key, const Metadata& metadata, const std::string& path);

}  // namespace frugal::tgn
