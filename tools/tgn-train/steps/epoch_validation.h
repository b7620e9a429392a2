#pragma once
#include <cstddef>
#include <memory>
#include <string>

#include "libcore/tensors/tensor_file.h"
#include "tools/tgn-train/links/link_evaluation.h"
#include "tools/tgn-train/memory/stream_session.h"

namespace frugal::tgn {

/// Name of the best epoch's memory in a checkpoint.
inline constexpr char kBestMemoryTensor[] = "best_state.memory";

/// A copy of a session's state. Its memory is kept where the session's is: in RAM, or in a file
/// beside it.
class StateCopy {
 public:
  /// Reserves the room for the memory, or fails as NodeMemory does. The session must outlive the
  /// copy.
  explicit StateCopy(const StreamSession& session);

  bool empty() const { return state_.tensors.empty(); }
  /// The room for the copied memory; null if the session has no memory.
  NodeMemory* memory() { return room_.get(); }
  /// Copies the session's state, which must have been settled, in place of an earlier copy.
  void take();
  /// The copied state, as StreamSession::save() writes it; tensors are lent.
  const Document& state() const { return state_; }

  /// Adds the copy to a checkpoint, or nothing if it is empty; tensors are lent.
  void save(Document& checkpoint) const;
  /// Fails (bad_input) with `path` if the memory has another shape.
  void load(const Document& checkpoint, const std::string& path);
  /// Buffer that a checkpoint's memory can be read into.
  TensorPlaces places();

 private:
  Tensor keep(const Tensor& tensor);

  const StreamSession& session_;
  std::unique_ptr<NodeMemory> room_;  ///< null if the session has no memory
  Document state_;
};

/// Validates the epochs of a training, and keeps the memory of the best one for the model file.
class EpochValidation {
 public:
  struct Options {
    /// Validates with a memory that the epoch's weights make of all training events. Otherwise with
    /// the memory that training left, made by the weights as they changed from step to step.
    bool weights_only = false;
    std::size_t window = 200;  ///< events that a made memory applies at once
    std::size_t batch = 200;   ///< events scored at once
  };
  /// All must outlive the object.
  EpochValidation(const LinkData& data, const EvaluationNegatives& negatives,
                  StreamSession& session, const Options& options);

  /// Brings the session from the end of an epoch, where the memory has the events before `from`,
  /// behind all training events. With weights_only, as make_memory_anew().
  void make_memory(EventId from);
  /// Restarts the session and applies all training events with the present weights.
  void make_memory_anew();
  /// Computes the validation metrics. ranks: destinations to rank among; null: no ranks. Leaves the
  /// session's state as it was.
  LinkMetrics validate(const NegativeSampler* ranks);
  /// Keeps the session's state as the best epoch's.
  void keep_best();
  /// Brings the session to the best epoch's state. The model must already have that epoch's
  /// weights.
  void take_best();

  bool has_best() const { return best_ && !best_->empty(); }
  /// The memory of the best epoch; null if none is kept.
  NodeMemory* best_memory() { return best_ ? best_->memory() : nullptr; }

  /// Saves the best state to a checkpoint (tensors are lent), or loads it. Loading fails
  /// (bad_input) with `path` if the memory has another shape.
  void save(Document& checkpoint) const;
  void load(const Document& checkpoint, const std::string& path);
  /// Buffer that a checkpoint's memory can be read into.
  TensorPlaces places();

 private:
  const LinkData& data_;
  const EvaluationNegatives& negatives_;
  StreamSession& session_;
  Options options_;
  std::unique_ptr<StateCopy> best_;  ///< null with Options::weights_only
};

}  // namespace frugal::tgn
