#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "libcore/train/accumulation.h"
#include "libcore/train/training_run.h"
#include "tools/gnn-sample/batches/packed_batches.h"
#include "tools/gnn-sample/network/link_score.h"
#include "tools/gnn-sample/parts/feature_parts.h"
#include "tools/gnn-sample/tasks/task_metrics.h"

namespace frugal::gnn {

/// Feature rows that this rank keeps, if it keeps a part.
struct KeptFacts {
  std::uint64_t own = 0, cached = 0;  ///< rows
  RowShares expected;
};

struct TrainFacts {
  std::string architecture;
  std::uint64_t nodes = 0, edges = 0, train_seeds = 0, valid_seeds = 0, test_seeds = 0;
  std::size_t features = 0, outputs = 0, parameters = 0;
  std::uint64_t steps_per_epoch = 0;
  JointBatches batches;
  std::optional<KeptFacts> parts;
  double features_per_node = 0;  ///< stored numbers: fewer than `features` where they are sparse
  std::string types;             ///< of nodes that a network reads; "" if there is one
  std::string input;             ///< parts of input rows, but for the graph's features alone: ""
};

struct TrainObserver {
  RunLog* log = nullptr;
  std::function<void(const TrainFacts&)> begun;
  std::function<void(double epochs_done, const std::string& note)> progress;
  std::function<void(int epoch, double loss, const TaskMetrics&)> validated;
};

struct TrainResult : RunFigures {
  TrainFacts facts;
  double read_seconds = 0;
  double waiting_seconds = 0;  ///< time without a mini-batch to train on
  std::uint64_t sampled_edges = 0, sampled_nodes = 0;
  RowCounts rows;                    ///< feature rows of this rank, if it keeps a part
  std::size_t row_bytes = 0;         ///< bytes of such a row
  std::optional<PackFigures> packs;  ///< with Residence::packed
  std::uint64_t rows_in_memory = 0;  ///< with Residence::packed: feature rows that are not packed
  std::optional<TaskMetrics> validation, test;
  LinkScore link_score;                      ///< of the trained model
  bool test_stopped = false;                 ///< a signal ended the test of the trained model
  bool has_checkpoint = false;               ///< --resume can do the rest
  std::optional<double> choice_cpu_seconds;  ///< of trials, if the architecture was chosen

  /// Number of epochs that this process trained.
  double epochs_here() const {
    return static_cast<double>(steps - resumed_from) / static_cast<double>(facts.steps_per_epoch);
  }
};

}  // namespace frugal::gnn
