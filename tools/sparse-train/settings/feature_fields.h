#pragma once
#include <string>
#include <vector>

#include "libcore/options/option_fields.h"
#include "tools/sparse-train/settings/train_options.h"

namespace frugal::sparse {

/// Describes --format with the names of all formats; with may_lack_labels, also of formats without
/// labels.
void describe_format(const OptionFields& f, std::string& format, bool may_lack_labels,
                     const char* what);

/// Describes --format, --header and --separator of data for a model.
void describe_input(const OptionFields& f, FeatureOptions& options, bool may_lack_labels,
                    const char* what);

/// Describes the options of features.
void describe_features(const OptionFields& f, FeatureOptions& options);

/// Adds a condition: if `model` names a model, it determines the features, so the options of
/// describe_features() that set them require `what`.
void describe_model_conditions(const OptionFields& f, const std::string& what,
                               const std::string& model);

/// Describes the options of training data: the above, --init, --cache and --keep-names.
void describe_training_data(const OptionFields& f, TrainOptions& options);

/// Describes --weights of training examples.
void describe_weights(const OptionFields& f, FeatureOptions& options);

/// Describes options for reading data, of all commands: --skip-bad, --max-memory and --cache-dir.
void describe_reading(const OptionFields& f, FeatureOptions& options);

}  // namespace frugal::sparse
