#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "libcore/device/static_batches.h"

namespace frugal::tgn {

/// Everything that `tgn-train export` is told.
struct ExportOptions {
  std::string model, events, output;
  std::string part = "train";     ///< train, validation, test
  std::size_t batch = 0;          ///< events; 0: as the model was trained with
  std::size_t shapes = 1;         ///< at most so many
  std::uint64_t max_batches = 0;  ///< 0: all
  bool if_changed = false;
  std::string history_entry;
};

struct ExportResult {
  std::size_t batch = 0;
  std::uint64_t batches = 0, events = 0;
  std::vector<BatchShape> shapes;  ///< local nodes, edges, ...
  double real_share = 0;           ///< of the edges of all batches, without padding
  bool memory_of_model = false;
  double seconds = 0;
};

/// Writes the weights of a model of the architecture pyg, its memory before a part of a stream and
/// the batches of the part, padded to fixed shapes, with the names that the modules of
/// graphcore/examples have for them. Fails (unavailable) for a model with other modules. progress
/// is told the share of the events that is planned.
ExportResult export_network(const ExportOptions& options,
                            const std::function<void(double share)>& progress);

}  // namespace frugal::tgn
