#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "libcore/kernels/gemm.h"
#include "libcore/nn/loss.h"
#include "libcore/tensors/tensor.h"
#include "libcore/train/training_run.h"
#include "tools/tgn-train/data/event_split.h"
#include "tools/tgn-train/evaluation/training_negatives.h"
#include "tools/tgn-train/links/rank_source.h"
#include "tools/tgn-train/memory/memory_options.h"
#include "tools/tgn-train/network/tgn_options.h"

namespace frugal::tgn {

/// Options of `tgn-train train`.
struct TrainOptions : TrainerSettings {
  std::string events;
  std::string model;            ///< file to write; "" = none
  std::string task = "link";    ///< link, or node-label or event-label (see LabelTrainOptions)
  std::string from;             ///< node-label, event-label: a model of links; "": none
  bool event_features = false;  ///< LabelTask::reads_features
  std::string label_history = "auto";  ///< LabelTask::reads_history: yes, no, or auto
  std::string architecture = "tgn-attn";
  TgnOptions network;
  MemoryMode mode = MemoryMode::window;
  RefreshKind refresh = RefreshKind::none;
  Ties ties = Ties::strict;  ///< in training; validation and test are strict
  Dtype memory_dtype = Dtype::f32;
  MemoryPlace place;
  /// Options that the architecture or the memory mode decides.
  struct {
    bool message = false, aggregator = false, updater = false, embedding = false, decoder = false;
    bool refresh = false, ties = false;
  } open;
  double time_unit = 0;         ///< unit of time encodings; 0: measured
  bool scales_features = true;  ///< scales features that are far from 1
  bool pair_features = false;   ///< the decoder reads features from the history of pairs
  EventSplitOptions split;

  std::size_t batch = 200;  ///< events in a step
  std::size_t window = 0;   ///< batch modes: events that the memory applies together; 0: batch
  std::string optimizer = "adam";
  double learning_rate = 1e-4;
  std::string schedule = "constant";
  double warm_up = 0;  ///< share of all steps
  float weight_decay = 0;
  int epochs = 50;
  /// Early stopping: epochs without a better validation after which training ends; 0 = never. With
  /// the published 5, some trainings ended with their first epoch
  /// (tests/bench/results/tgn-train.md).
  int patience = 10;
  std::size_t negatives = 1;  ///< other destinations that an event is trained against
  TrainNegatives train_negatives = TrainNegatives::uniform;
  LossKind loss = LossKind::one_vs_all;
  bool select_mrr = false;             ///< the best epoch is that of the best MRR of validation
  std::size_t select_negatives = 100;  ///< destinations that it is ranked among
  std::uint64_t steps = 0;             ///< maximum number of steps; 0 = no limit
  std::size_t eval_batch = 200;
  RankOptions ranking;     ///< ranks of the test at the end
  std::uint64_t skip = 0;  ///< events at the beginning of the stream to leave out of training
  /// Number of copies of the memory that train at once, each in its own range of time; 0: one for
  /// each rank.
  std::uint32_t time_ranges = 0;
  /// Number of parts of the memory, and of each step, that ranks share; 0: memory is not shared.
  std::uint32_t memory_shards = 0;
  bool evaluates = true;  ///< validates after epochs, and tests at the end
  /// Whether a choice after training decides if a mix of keys and network answers (MixChoice).
  bool mixes = true;
  /// The model file has no memory. Validation and test also compute it from the events.
  bool weights_only = false;

  std::size_t memory_window() const { return window == 0 ? batch : window; }
};

/// Options of `tgn-train train --task node-label` and event-label.
struct LabelTrainOptions : TrainerSettings {
  std::string events;
  std::string from;       ///< model of train; "": labels are predicted without a network
  std::string model;      ///< file to write; "" = none
  bool of_event = false;  ///< event-label, else node-label
  bool event_features = false;
  std::string label_history = "auto";
  std::size_t batch = 100;
  double learning_rate = 3e-4;
  int epochs = 10;
  int patience = 5;  ///< early stopping: epochs without a better validation; 0 = never
  float dropout = 0.1F;
  Precision precision = Precision::f32;  ///< of the network; the decoder's is f32
  MemoryPlace place;                     ///< of the network's memory
};

}  // namespace frugal::tgn
