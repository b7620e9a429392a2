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

/// Adds tensors past.last and past.previous: the last event of each of the first nodes, and the one
/// before.
void save_past(const StepPlanner::Past& past, std::size_t num_nodes, Document& document);

/// Loads what save_past() wrote, for all nodes of the view. Nodes from `num_nodes` on have no
/// events. Fails (bad_input) with `path` if a node's event is not one of its own or not before
/// `end`.
StepPlanner::Past load_past(const Document& document, const std::string& path,
                            const EventView& events, std::size_t num_nodes, EventId end);

/// Name of the memory's tensor in a session's state.
inline constexpr char kMemoryTensor[] = "memory";

struct SessionOptions {
  MemoryMode mode = MemoryMode::window;
  RefreshKind refresh = RefreshKind::none;  ///< for training
  Dtype memory_dtype = Dtype::f32;
  TimeScale time;
  MemoryPlace place;
  FeatureScaling edge_scaling, node_scaling;
  /// Options of the features of pairs; empty if the decoder reads none.
  std::optional<PairHistoryOptions> pairs;
  /// How ranks share the memory; every rank has a session that makes the same calls. null: the
  /// session has all of it. Must outlive the session.
  const MemoryShards* shards = nullptr;
};

/// Names, types and shapes of the tensors that StreamSession::save() writes for fixed weights, to
/// check a file before anything is copied from it. pairs.now is left out: its length varies.
std::vector<TensorInfo> fixed_state_tensors(const TgnModel& model, const SessionOptions& options,
                                            std::size_t num_nodes);

/// A network that follows a stream: the memory of the nodes, and the planner and runner of its
/// steps.
class StreamSession {
 public:
  /// Begins before the first event. Model, events and neighbours must outlive the session.
  StreamSession(TgnModel& model, const EventView& events, const TemporalNeighbors& neighbors,
                const StepFeatures& features, const SessionOptions& options);

  /// Runs later steps on that device if it can, as DeviceSteps::open(). Features must not change
  /// afterwards. optimizer: for training. Returns true if steps run on a device.
  bool compute_on(const DevicePlace& place, const std::optional<OptimizerOptions>& optimizer);
  /// bring_model_back() copies the trained parameters from the device; model_changed() marks the
  /// host's as newer. Both do nothing on the CPU.
  void bring_model_back() const;
  void model_changed();

  const SessionOptions& options() const { return options_; }
  StepPlanner& planner() { return planner_; }
  const StepPlanner& planner() const { return planner_; }
  StepRunner& runner() { return runner_; }
  const StepRunner& runner() const { return runner_; }
  TgnModel& model() { return runner_.model(); }
  /// The memory of all nodes, or this rank's share of a shared one; null if the model has none. On
  /// a device, the host's copy may be older than the device's.
  NodeMemory* memory() { return memory_.get(); }
  const NodeMemory* memory() const { return memory_.get(); }
  /// The shared memory; null if this session has all of it.
  SharedMemory* shared() { return shared_.get(); }
  /// History of the features of pairs; null if the decoder reads none.
  PairStream* pairs() { return pairs_.get(); }
  const PairStream* pairs() const { return pairs_.get(); }
  /// Returns to the beginning of the stream; see StepPlanner::reset().
  void restart(Weights weights);
  /// Declares the weights fixed. In window mode with refresh, it repeats the last update of every
  /// node with the present weights, stores the results, and drops the messages.
  void settle();
  /// Applies the events, ascending, to the memory. plan: working memory.
  void learn(std::span<const EventId> events, StepPlan& plan);
  /// Replaces events and features after the stream has grown (StepPlanner::use()). New nodes have
  /// zero memory.
  void use(const EventView& events, const StepFeatures& features);
  /// Sets the memory of all nodes to zero, also of nodes that have events.
  void clear_memory();
  /// Prefetches from disk what the plan will load. May run in another thread than the steps.
  void prefetch(const StepPlan& plan) const {
    if (memory_ && !shared_ && !device_) memory_->prefetch_loads(plan.loads);
  }

  /// Marks the present state; restore() returns to it. There is at most one such state.
  void keep_state();
  void restore();
  /// State for files: tensors past.last and past.previous [nodes] (events, or 2^32-1 for none),
  /// memory [nodes, numbers in a record], which is lent (this rank's share of a shared one), and
  /// pairs.*. load() requires a session restarted for the same Weights, and fails (bad_input) with
  /// `path`.
  void save(Document& document) const;
  /// end: all events of nodes must be before it.
  void load(const Document& document, const std::string& path, EventId end = kNoEvent);
  /// Where a file's memory can be read to directly, so that no second buffer is needed.
  TensorPlaces places();

 private:
  void bring_memory_back() const;
  void memory_changed();

  SessionOptions options_;
  std::unique_ptr<NodeMemory> memory_;    ///< null if the model has none
  std::unique_ptr<SharedMemory> shared_;  ///< null if this session has all memory
  std::unique_ptr<PairStream> pairs_;     ///< null if the decoder reads none
  StepPlanner planner_;
  StepRunner runner_;
  std::unique_ptr<DeviceSteps> device_;  ///< null on the CPU
  StepPlanner::Past kept_;               ///< set by keep_state()
  PairStream::Snapshot kept_pairs_;
};

}  // namespace frugal::tgn
