#pragma once
#include <string>
#include <vector>

#include "tools/sparse-train/train.h"

namespace CLI {
class App;
}

namespace frugal {

/// --format with the names of all formats of labelled text and those of `more`.
void add_format_option(CLI::App& app, std::string& format, const std::vector<std::string>& more,
                       const char* what);

/// How data becomes features; the network and its training.
void add_feature_options(CLI::App& app, FeatureOptions& options);
void add_network_options(CLI::App& app, TrainOptions& options);

}  // namespace frugal
