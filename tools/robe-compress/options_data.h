#pragma once
#include "tools/robe-compress/data/click_options.h"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11 named it
class App;
}

namespace frugal::robe {

/// What commands that train say about their data: all of ClickOptions.
void add_training_data_options(CLI::App& app, ClickOptions& options);

/// What eval and predict say: format, header, unknown categories and which samples.
void add_reading_options(CLI::App& app, ClickOptions& options);

}  // namespace frugal::robe
