#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tools/gnn-sample/batches/device_sampler.h"
#include "tools/gnn-sample/batches/train_batch.h"
#include "tools/gnn-sample/steps/device_trainer.h"

namespace frugal::gnn {

/// Options of the GraphSAGE model that a ladder trains.
struct LadderTraining {
  std::string device;   ///< --device
  std::string command;  ///< "gnn-sample bench", for messages
  SamplingOptions sampling;
  std::uint32_t max_seeds = 1024;  ///< largest number of seeds of a mini-batch
  std::uint64_t seed = 0;
  std::size_t hidden = 256;
};

/// Results of one pass over mini-batches.
struct LadderRound {
  std::uint64_t edges = 0, nodes = 0;
  double loss = 0;          ///< summed over seeds
  double busy_seconds = 0;  ///< time in which the device computed steps
  std::string left_out;     ///< why the device could not do it; "" if it did
};

/// Samples these mini-batches without training on them.
LadderRound sample_all(DeviceSampler& sampler, bool hides, std::span<const LinkBatch> batches);

/// Trains on a device with the optimisations of its pipeline switched on one by one, from one
/// mini-batch at a time to concurrent sampling, copies and steps. The learning rate is 0, so all
/// steps of the ladder have the same work and the same losses.
class DeviceLadder {
 public:
  /// Borrows the graph and the sampler. Fails (bad_input) if the graph lacks features or labels.
  DeviceLadder(const StoredGraph& graph, const LadderTraining& training, DeviceSampler& sampler);
  ~DeviceLadder();

  std::size_t size() const;
  std::string name(std::size_t step) const;
  LadderRound round(std::size_t step, std::span<const LinkBatch> batches);

 private:
  struct Place;

  Place& place_of(std::size_t step) const;
  void open(Place& place, const LadderTraining& training);
  void train(Place& place, const TrainBatch& batch, std::uint64_t number, LadderRound& round) const;
  void train_all(std::size_t step, Place& place, std::span<const LinkBatch> batches,
                 LadderRound& round);
  void train_in_turn(Place& place, std::span<const LinkBatch> batches, LadderRound& round);
  void train_ahead(std::size_t step, Place& place, std::span<const LinkBatch> batches,
                   LadderRound& round);

  const StoredGraph& graph_;
  DeviceSampler& sampler_;
  std::uint64_t seed_;
  bool hides_;
  std::vector<std::unique_ptr<Place>> places_;
};

}  // namespace frugal::gnn
