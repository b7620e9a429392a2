#pragma once
#include "libcore/options/option_fields.h"
#include "tools/robe-compress/columns/click_options.h"

namespace frugal::robe {

/// Describes the data options of commands that train: all of ClickOptions.
void describe_training_data(const OptionFields& fields, ClickOptions& options);

/// Describes the data options of eval and predict: format, header, unknown categories and the
/// selection of samples.
void describe_reading(const OptionFields& fields, ClickOptions& options);

}  // namespace frugal::robe
