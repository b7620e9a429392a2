#pragma once
#include <span>
#include <string>
#include <utility>

#include "libcore/device/engine.h"

namespace frugal::gnn {

/// Values that an engine reads where they lie.
template <class T>
EngineArray array_in(std::string name, frugal_type type, std::span<const T> values) {
  return {std::move(name), type, {values.size()}, const_cast<T*>(values.data())};
}

}  // namespace frugal::gnn
