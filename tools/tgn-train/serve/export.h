#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "libcore/device/static_batches.h"

namespace frugal::tgn {

/// Options of `tgn-train export`.
struct ExportOptions {
  std::string model, events, output;
  std::string part = "train";     ///< train, validation, test
  std::size_t batch = 0;          ///< events in a batch; 0: as in training
  std::size_t shapes = 1;         ///< most shapes
  std::uint64_t max_batches = 0;  ///< most batches; 0: all
  std::string history_entry;
};

struct ExportResult {
  std::size_t batch = 0;
  std::uint64_t batches = 0, events = 0;
  std::vector<BatchShape> shapes;  ///< local nodes, edges, ...
  double real_share = 0;           ///< share of real edges in all batches; the rest is padding
  bool memory_of_model = false;
  double seconds = 0;
};

/// Writes the weights of a pyg model, its memory before a part of a stream, and the batches of the
/// part, padded to fixed shapes. Names are those in the modules of graphcore/examples. Fails
/// (unavailable) for a model with other modules. progress: called with the share of the events
/// planned.
ExportResult export_network(const ExportOptions& options,
                            const std::function<void(double share)>& progress);

}  // namespace frugal::tgn
