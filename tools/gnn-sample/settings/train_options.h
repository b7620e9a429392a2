#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "libcore/train/training_run.h"
#include "tools/gnn-sample/data/stored_graph.h"
#include "tools/gnn-sample/layers/gnn_options.h"
#include "tools/gnn-sample/settings/sampling_settings.h"
#include "tools/gnn-sample/steps/device_trainer.h"

namespace frugal::gnn {

struct LinkTaskOptions {
  std::string relation;         ///< SOURCE:RELATION:TARGET in a graph of several types; or ""
  std::size_t embedding = 64;   ///< numbers that a node becomes
  double held_out = 0.1;        ///< share of the edges for validation and test
  std::string held_out_edges;   ///< file of the edges to hold out, instead of a share; or ""
  std::string write_held_out;   ///< file to write the held-out edges to, or ""
  std::uint32_t negatives = 1;  ///< of each link in training: its target replaced by any node
  std::uint32_t eval_negatives = 100;  ///< of each link that is validated or tested
};

struct FeaturePartsOptions {
  std::string parts;   ///< "even", a file of `gnn-sample partition`, or "": each rank has them all
  double cache = 0.5;  ///< rows of other ranks that one keeps, as a share of its own
};

/// Bytes that packs may take (PackedBatches); 0: by what is free.
struct PackLimits {
  std::uint64_t memory = 0;  ///< of rows in memory
  std::uint64_t disk = 0;    ///< of the packs of a window
};

/// Options of `gnn-sample train`.
struct TrainOptions : TrainerSettings {
  std::string graph;
  std::string model;           ///< file to write; "" = none
  std::string task = "nodes";  ///< or links
  LinkTaskOptions links;
  GnnOptions network;
  bool open_settings = false;     ///< left to choose_architecture(), with all that makes a network
  bool open_kind = false;         ///< left to the graph: network.kind is for those of one type
  bool open_types = false;        ///< open_settings, and the graph has several types
  bool open_but_task = false;     ///< open_kind, with options of the task and its length at most
  bool open_input_size = false;   ///< left to the architecture, as it is after decided()
  bool open_activation = false;   ///< left to the architecture
  bool open_head_layers = false;  ///< left to the architecture
  bool batch_norm = false;        ///< --batch-norm was given: decided() makes it network.norm
  std::string input = "auto";     ///< parts of input rows (InputParts), or auto
  std::size_t input_size = 128;   ///< columns of the embedding, and of the projection
  SamplingOptions sampling;
  std::string seed_type;     ///< of the nodes to learn from, in a graph of several types
  std::string eval_fanouts;  ///< of validation and test; "" = exact
  std::uint32_t batch_size = 1024;
  std::uint64_t split = 0;
  Residence residence = Residence::automatic;
  PackLimits packs;  ///< with Residence::packed
  DeviceFeatures device_features = DeviceFeatures::automatic;
  FeaturePartsOptions features;

  std::string optimizer = "adam";
  double learning_rate = 0.003;
  std::string schedule = "constant";
  double warm_up = 0;  ///< share of the steps
  int epochs = 30;
  int patience = 0;    ///< epochs without a better validation before the end; 0 = all epochs
  int eval_every = 1;  ///< epochs from one validation to the next
  std::string select = "accuracy";  ///< what the best epoch is best in: or auc, loss
  std::uint64_t steps = 0;          ///< at most; 0 = all
  std::uint32_t accumulate = 0;     ///< mini-batches of a step, of all ranks; 0 = parts of one
};

}  // namespace frugal::gnn
