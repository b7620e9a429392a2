#pragma once
#include <memory>

#include "libcore/device/cuda/engines/click_layers.h"

namespace frugal::cuda {

/// The interaction of setting "network.architecture". vectors: of a sample; dense: one of them.
std::unique_ptr<DeviceInteraction> make_interaction(const Settings& settings,
                                                    const BatchFacts& batch, std::uint32_t vectors,
                                                    bool dense, Room& room, NamedArrays& arrays);

}  // namespace frugal::cuda
