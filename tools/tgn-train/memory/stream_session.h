#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libcore/tensors/tensor_file.h"
#include "tools/tgn-train/memory/device_steps.h"
#include "tools/tgn-train/memory/memory_options.h"
#include "tools/tgn-train/memory/node_memory.h"
#include "tools/tgn-train/memory/shared_memory.h"
#include "tools/tgn-train/memory/step_planner.h"
#include "tools/tgn-train/memory/step_runner.h"
#include "tools/tgn-train/network/tgn_model.h"

namespace frugal::tgn {

/// Adds of the first nodes their last events and those before: tensors past.last and past.previous.
void save_past(const StepPlanner::Past& past, std::size_t num_nodes, Document& document);

/// The same again, of as many nodes as the view has, those behind the first `num_nodes` without
/// events. Fails (bad_input) with `path` where a node has an event that it is not in, or one that
/// is not before `end`.
StepPlanner::Past load_past(const Document& document, const std::string& path,
                            const EventView& events, std::size_t num_nodes, EventId end);

/// The tensor of a session's state that its memory is in.
inline constexpr char kMemoryTensor[] = "memory";

struct SessionOptions {
  MemoryMode mode = MemoryMode::window;
  RefreshKind refresh = RefreshKind::none;  ///< of a training
  Dtype memory_dtype = Dtype::f32;
  TimeScale time;
  MemoryPlace place;
  FeatureScaling edge_scaling, node_scaling;
  /// Of the features of pairs that the decoder looks at; none: it looks at none.
  std::optional<PairHistoryOptions> pairs;
  /// How ranks share the memory, each with a session of its own that does what the others' do;
  /// null: all of it is here. Outlives the session.
  const MemoryShards* shards = nullptr;
};

/// Tensors that StreamSession::save() writes of so many nodes for a model whose weights are fixed:
/// names, types and shapes, which a file must have before anything is copied from it. pairs.now is
/// left out: it is as long as the last moment has events.
std::vector<TensorInfo> fixed_state_tensors(const TgnModel& model, const SessionOptions& options,
                                            std::size_t num_nodes);

/// A network at work on a stream: the memory of its nodes, the plans of its steps and their
/// execution.
class StreamSession {
 public:
  /// Model, events and neighbours outlive the session, which begins before all events.
  StreamSession(TgnModel& model, const EventView& events, const TemporalNeighbors& neighbors,
                const StepFeatures& features, const SessionOptions& options);

  /// From now on steps run on that device, if it can: as DeviceSteps::open(). The features stay as
  /// they are. optimizer: of a training. Returns whether they do.
  bool compute_on(const DevicePlace& place, const std::optional<OptimizerOptions>& optimizer);
  /// The model becomes what training on a device has made of it; its numbers are others than those
  /// there. Nothing on the CPU.
  void bring_model_back() const;
  void model_changed();

  const SessionOptions& options() const { return options_; }
  StepPlanner& planner() { return planner_; }
  const StepPlanner& planner() const { return planner_; }
  StepRunner& runner() { return runner_; }
  const StepRunner& runner() const { return runner_; }
  TgnModel& model() { return runner_.model(); }
  /// The memory of all nodes, of a shared one this rank's share; null where the model has none. On
  /// a device it lags behind the steps.
  NodeMemory* memory() { return memory_.get(); }
  const NodeMemory* memory() const { return memory_.get(); }
  /// Null where all memory is here.
  SharedMemory* shared() { return shared_.get(); }
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
    if (memory_ && !shared_ && !device_) memory_->prefetch_loads(plan.loads);
  }

  /// Keeps the present state of the session, until restore() brings it back: one at a time.
  void keep_state();
  void restore();
  /// The state for files: tensors past.last and past.previous [nodes], events or 2^32-1; memory
  /// [nodes, numbers of a record], which is lent, of a shared one this rank's share; pairs.*.
  /// Loading, into a session that was
  /// restarted for weights such as it had, fails (bad_input) with `path`.
  void save(Document& document) const;
  /// end: no node may have an event at it or behind.
  void load(const Document& document, const std::string& path, EventId end = kNoEvent);
  /// Where the memory of a file can be read to, so that it needs no second room.
  TensorPlaces places();

 private:
  void bring_memory_back() const;
  void memory_changed();

  SessionOptions options_;
  std::unique_ptr<NodeMemory> memory_;    ///< null where the model has none
  std::unique_ptr<SharedMemory> shared_;  ///< null where all memory is here
  std::unique_ptr<PairStream> pairs_;     ///< null where the decoder looks at none
  StepPlanner planner_;
  StepRunner runner_;
  std::unique_ptr<DeviceSteps> device_;  ///< null: on the CPU
  StepPlanner::Past kept_;               ///< by keep_state()
  PairStream::Snapshot kept_pairs_;
};

}  // namespace frugal::tgn
