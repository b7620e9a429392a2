#pragma once
#include "libcore/device/plugin_abi.h"

namespace frugal::cuda {

const frugal_suite_table* suite_table();

}  // namespace frugal::cuda
