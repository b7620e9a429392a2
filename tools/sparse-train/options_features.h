#pragma once
#include <string>
#include <vector>

#include "tools/sparse-train/train.h"

namespace CLI {
class App;
}

namespace frugal::sparse {

/// --format with the names of all formats of labelled examples and those of `more`.
void add_format_option(CLI::App& app, std::string& format, const std::vector<std::string>& more,
                       const char* what);

/// How data becomes features.
void add_feature_options(CLI::App& app, FeatureOptions& options);

/// What decides how data becomes features is `model` where one is named: the options of
/// add_feature_options() that say so go with `what` then.
void add_model_conditions(CLI::App& app, const std::string& what, const std::string& model);

/// Training data: the above, --init, --cache, --keep-names.
void add_training_data_options(CLI::App& app, TrainOptions& options);

/// How data is read by every command: --skip-bad, --max-memory, --cache-dir.
void add_reading_options(CLI::App& app, FeatureOptions& options);

}  // namespace frugal::sparse
