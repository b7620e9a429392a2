#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libcore/io/tensor_file.h"
#include "libcore/nn/row_store.h"
#include "tools/tgn-train/memory/memory_options.h"
#include "tools/tgn-train/memory/node_memory.h"
#include "tools/tgn-train/memory/step_planner.h"
#include "tools/tgn-train/network/tgn_model.h"

namespace frugal::tgn {

/// Adds of the first nodes their last events and those before: tensors past.last and past.previous.
void save_past(const StepPlanner::Past& past, std::size_t num_nodes, Document& document);

/// The same again, of as many nodes as the view has, those behind the first `num_nodes` without
/// events. Fails (bad_input) with `path` where a node has an event that it is not in, or one that
/// is not before `end`.
StepPlanner::Past load_past(const Document& document, const std::string& path,
                            const EventView& events, std::size_t num_nodes, EventId end);

/// Runs planned steps: brings memory to the network and what the network makes of it back.
class StepRunner {
 public:
  /// All outlive the runner. memory: null where the model has none.
  StepRunner(TgnModel& model, NodeMemory* memory, const StepFeatures& features)
      : model_(model), memory_(memory), features_(features) {}

  /// Loads what the plan reads and embeds its queries.
  MatrixView<const float> embed(const StepPlan& plan, const TgnPass& pass);
  /// After embed(), with the model's parameters of then: keeps what the plan says.
  void store(const StepPlan& plan);

  /// From now on these are the features of the stream, which has grown.
  void use(const StepFeatures& features) { features_ = features; }

  TgnModel& model() { return model_; }
  const StepFeatures& features() const { return features_; }

 private:
  void make_message(const StepPlan& plan, const MemoryStore& store, float* out);

  TgnModel& model_;
  NodeMemory* memory_;
  StepFeatures features_;
  RowStore kept_;  ///< messages of updates that are kept as they were made
  RowStore times_;
  std::vector<float> message_, edge_;
};

/// Numbers of a message that a memory of that mode keeps.
std::size_t kept_message_dim(const TgnModel& model, bool as_made);

struct SessionOptions {
  MemoryMode mode = MemoryMode::window;
  RefreshKind refresh = RefreshKind::none;  ///< of a training
  Dtype memory_dtype = Dtype::f32;
  TimeShift time_shift;
  MemoryPlace place;
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
  /// Of the features of pairs; null where the decoder looks at none.
  PairStream* pairs() { return pairs_.get(); }
  const PairStream* pairs() const { return pairs_.get(); }
  /// Forgets all events; see StepPlanner::reset().
  void restart(Weights weights);
  /// From now on weights are fixed: of updates that would be made again the present weights make
  /// the last ones.
  void settle();
  /// Lets the memory know the events, ascending, by a plan that the caller has for the purpose.
  void learn(std::span<const EventId> events, StepPlan& plan);
  /// The stream has grown: see StepPlanner::use(). New nodes have no memory yet.
  void use(const EventView& events, const StepFeatures& features);
  /// Memory is all zero again, also of nodes whose events the planner has passed.
  void clear_memory();
  /// Sees to what the plan will load, which other threads may do meanwhile.
  void prefetch(const StepPlan& plan) const {
    if (memory_) memory_->prefetch_loads(plan.loads);
  }

  /// Keeps the present state of the session, until restore() brings it back: one at a time.
  void keep_state();
  void restore();
  /// The state for files: tensors past.last and past.previous [nodes], events or 2^32-1; memory
  /// [nodes, numbers of a record], which is lent; pairs.*. Loading, into a session that was
  /// restarted for weights such as it had, fails (bad_input) with `path`.
  void save(Document& document) const;
  /// end: no node may have an event at it or behind.
  void load(const Document& document, const std::string& path, EventId end = kNoEvent);
  /// Where the memory of a file can be read to, so that it needs no second room.
  TensorPlaces places();

 private:
  SessionOptions options_;
  std::unique_ptr<NodeMemory> memory_;  ///< null where the model has none
  std::unique_ptr<PairStream> pairs_;   ///< null where the decoder looks at none
  StepPlanner planner_;
  StepRunner runner_;
  StepPlanner::Past kept_;  ///< by keep_state()
  PairStream::Snapshot kept_pairs_;
};

}  // namespace frugal::tgn
