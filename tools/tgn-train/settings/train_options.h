#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "libcore/kernels/gemm.h"
#include "libcore/tensors/tensor.h"
#include "libcore/train/training_run.h"
#include "tools/tgn-train/data/event_split.h"
#include "tools/tgn-train/links/rank_source.h"
#include "tools/tgn-train/memory/memory_options.h"
#include "tools/tgn-train/network/tgn_options.h"

namespace frugal::tgn {

/// Everything that `tgn-train train` is told.
struct TrainOptions : TrainerSettings {
  std::string events;
  std::string model;          ///< file to write; "" = none
  std::string task = "link";  ///< or node-label, for which there are LabelTrainOptions
  std::string from;           ///< of node-label: a model of links
  std::string architecture = "tgn-attn";
  TgnOptions network;
  MemoryMode mode = MemoryMode::window;
  RefreshKind refresh = RefreshKind::none;
  Ties ties = Ties::strict;  ///< of training; validation and test are strict
  Dtype memory_dtype = Dtype::f32;
  MemoryPlace place;
  /// What is left to the architecture and to the memory mode.
  struct {
    bool message = false, aggregator = false, updater = false, embedding = false;
    bool refresh = false, ties = false;
  } open;
  double time_unit = 0;         ///< that time encodings count in; 0: as measured
  bool scales_features = true;  ///< those far from 1
  bool pair_features = false;   ///< the decoder looks at the history of pairs, too
  EventSplitOptions split;

  std::size_t batch = 200;  ///< events a step
  std::size_t window = 0;   ///< events after which they become known, but in turn; 0: batch
  std::string optimizer = "adam";
  double learning_rate = 1e-4;
  std::string schedule = "constant";
  double warm_up = 0;  ///< share of the steps
  float weight_decay = 0;
  int epochs = 50;
  /// Epochs without a better validation after which training ends; 0 = never. With the published 5
  /// some trainings ended with their first epoch (tests/bench/results/tgn-train.md).
  int patience = 10;
  std::uint64_t steps = 0;  ///< end after so many; 0 = all
  std::size_t eval_batch = 200;
  RankOptions ranking;     ///< of the test at the end
  std::uint64_t skip = 0;  ///< events at the beginning of the stream that do not train
  /// Copies of the memory that train at once, each in its own range of the time; 0: one a rank.
  std::uint32_t time_ranges = 0;
  /// Parts of one memory, and of each step, that ranks share; 0: they do not.
  std::uint32_t memory_shards = 0;
  bool evaluates = true;  ///< after epochs and at the end
  /// The model's file has no memory: validation and test make it anew, too.
  bool weights_only = false;

  std::size_t memory_window() const { return window == 0 ? batch : window; }
};

/// Everything that `tgn-train train --task node-label` is told.
struct LabelTrainOptions : TrainerSettings {
  std::string events;
  std::string from;   ///< model of train
  std::string model;  ///< file to write; "" = none
  std::size_t batch = 100;
  double learning_rate = 3e-4;
  int epochs = 10;
  int patience = 5;  ///< epochs without a better validation; 0 = never
  float dropout = 0.1F;
  Precision precision = Precision::f32;  ///< of the network; the decoder's is f32
  MemoryPlace place;                     ///< of the network's memory
};

}  // namespace frugal::tgn
