#pragma once
#include <string>
#include <vector>

#include "libcore/options/option_fields.h"
#include "tools/sparse-train/settings/train_options.h"

namespace frugal::sparse {

/// --format with the names of all formats, of examples without labels where these may lack.
void describe_format(const OptionFields& f, std::string& format, bool may_lack_labels,
                     const char* what);

/// --format, --header and --separator of data for a model.
void describe_input(const OptionFields& f, FeatureOptions& options, bool may_lack_labels,
                    const char* what);

/// How data becomes features.
void describe_features(const OptionFields& f, FeatureOptions& options);

/// What decides how data becomes features is `model` where one is named: the options of
/// describe_features() that say so go with `what` then.
void describe_model_conditions(const OptionFields& f, const std::string& what,
                               const std::string& model);

/// Training data: the above, --init, --cache, --keep-names.
void describe_training_data(const OptionFields& f, TrainOptions& options);

/// --weights of training examples.
void describe_weights(const OptionFields& f, FeatureOptions& options);

/// How data is read by every command: --skip-bad, --max-memory, --cache-dir.
void describe_reading(const OptionFields& f, FeatureOptions& options);

}  // namespace frugal::sparse
