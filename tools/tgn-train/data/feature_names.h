#pragma once
#include <span>
#include <string>
#include <vector>

#include "libcore/io/tensor.h"

namespace frugal::tgn {

/// What a header calls the features of events, in the order that the network takes them; or empty
/// where nothing does.
using FeatureNames = std::vector<std::string>;

/// Kept in files of events, and of models: metadata tgn.features, a list in JSON.
void add_feature_names(const FeatureNames& names, Metadata& metadata);
/// Fails (bad_input) with `path` for what is no such list.
FeatureNames feature_names_of(const Metadata& metadata, const std::string& path);

}  // namespace frugal::tgn
