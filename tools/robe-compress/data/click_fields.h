#pragma once
#include "libcore/options/option_fields.h"
#include "tools/robe-compress/data/click_options.h"

namespace frugal::robe {

/// What commands that train say about their data: all of ClickOptions.
void describe_training_data(const OptionFields& fields, ClickOptions& options);

/// What eval and predict say: format, header, unknown categories and which samples.
void describe_reading(const OptionFields& fields, ClickOptions& options);

}  // namespace frugal::robe
