#pragma once
#include <memory>
#include <optional>
#include <string>

#include "libcore/io/tensor_file.h"
#include "tools/tgn-train/memory/memory_mode.h"
#include "tools/tgn-train/memory/node_memory.h"
#include "tools/tgn-train/memory/step_planner.h"
#include "tools/tgn-train/memory/step_runner.h"

namespace frugal {

struct SessionOptions {
  MemoryMode mode = MemoryMode::window;
  RefreshKind refresh = RefreshKind::none;
  Dtype memory_dtype = Dtype::f32;
  TimeShift time_shift;
  /// Of the features of pairs that the decoder looks at; none: it looks at none.
  std::optional<PairHistoryOptions> pairs;
};

/// A network at work on a stream: the memory of its nodes, the plans of its steps and their
/// execution.
class StreamSession {
 public:
  /// Model, events and neighbours outlive the session, which begins before all events.
  StreamSession(TgnModel& model, const EventView& events, const TemporalNeighbors& neighbors,
                const StepFeatures& features, const SessionOptions& options);

  const SessionOptions& options() const { return options_; }
  StepPlanner& planner() { return planner_; }
  const StepPlanner& planner() const { return planner_; }
  StepRunner& runner() { return runner_; }
  TgnModel& model() { return runner_.model(); }
  /// The memory of all nodes; null where the model has none.
  NodeMemory* memory() { return memory_.get(); }
  const NodeMemory* memory() const { return memory_.get(); }
  /// Forgets all events.
  void restart();
  /// The stream has grown: see StepPlanner::use(). New nodes have no memory yet.
  void use(const EventView& events, const StepFeatures& features);

  /// What the session knows of the past.
  struct Snapshot {
    StepPlanner::Past past;
    Array<std::byte> memory;
    PairStream::Snapshot pairs;
  };
  Snapshot snapshot() const;
  void restore(const Snapshot& snapshot);
  /// The same for a checkpoint; what is saved is lent. Loading fails (bad_input) with `path`.
  void save(Document& document) const;
  void load(const Document& document, const std::string& path);

 private:
  SessionOptions options_;
  std::unique_ptr<NodeMemory> memory_;  ///< null where the model has none
  std::unique_ptr<PairStream> pairs_;   ///< null where the decoder looks at none
  StepPlanner planner_;
  StepRunner runner_;
};

}  // namespace frugal
