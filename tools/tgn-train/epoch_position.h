#pragma once
#include <cstddef>
#include <string>

#include "libcore/io/tensor_file.h"
#include "tools/tgn-train/data/event_times.h"

namespace frugal::tgn {

/// Where training stands in an epoch.
struct EpochPosition {
  EventId next = 0;           ///< the first event that was not in a step
  EventId window = 0;         ///< the first that memory does not know
  std::size_t in_window = 0;  ///< events between them that train

  /// Adds it to the metadata of a checkpoint.
  void save(Document& state) const;
  /// Fails (bad_input) with `path` where something is missing or no number.
  static EpochPosition load(const Document& state, const std::string& path);
};

}  // namespace frugal::tgn
