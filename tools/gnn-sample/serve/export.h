#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "libcore/device/static_batches.h"
#include "tools/gnn-sample/data/stored_graph.h"

namespace frugal::gnn {

/// Options of `gnn-sample export`.
struct ExportOptions {
  std::string model, graph, output;
  std::string nodes = "train";  ///< as find_seeds() takes them
  std::uint64_t split = 0;
  std::string fanouts;  ///< "": those that the model was trained with
  std::uint32_t batch_size = 1024;
  std::uint64_t epochs = 1;
  bool shuffle = false;           ///< in a new order each epoch
  std::size_t shapes = 1;         ///< at most so many
  std::uint64_t max_batches = 0;  ///< 0: all
  Residence residence = Residence::automatic;
  std::uint64_t seed = 0;
  std::string history_entry;
};

struct ExportResult {
  std::uint64_t batches = 0, seeds = 0;
  std::size_t layers = 0;
  std::vector<BatchShape> shapes;  ///< nodes, seeds, edges of each layer
  double real_share = 0;           ///< of the edges of all batches, without padding
  double seconds = 0;
};

/// Writes the weights of a GraphSAGE model and sampled mini-batches, padded to fixed shapes, with
/// the names that the modules of graphcore/examples have for them. Fails (unavailable) for a model
/// with other modules. progress is told the share of the mini-batches that is sampled.
ExportResult export_batches(const ExportOptions& options,
                            const std::function<void(double share)>& progress);

}  // namespace frugal::gnn
