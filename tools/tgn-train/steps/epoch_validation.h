#pragma once
#include <cstddef>
#include <memory>
#include <string>

#include "libcore/tensors/tensor_file.h"
#include "tools/tgn-train/links/link_evaluation.h"
#include "tools/tgn-train/memory/stream_session.h"

namespace frugal::tgn {

/// The tensor of a checkpoint that the best epoch's memory is in.
inline constexpr char kBestMemoryTensor[] = "best_state.memory";

/// A copy of what a session knew, whose memory lies where the session's does: in RAM or in a file
/// beside it.
class StateCopy {
 public:
  /// Takes the room that memory will need, or fails as NodeMemory does. The session outlives the
  /// copy.
  explicit StateCopy(const StreamSession& session);

  bool empty() const { return state_.tensors.empty(); }
  /// Where its memory is, once there is a copy; null where the session has none.
  NodeMemory* memory() { return room_.get(); }
  /// Of the session, behind its settle(), in the place of the one before.
  void take();
  /// As StreamSession::save() has it; lent by the copy.
  const Document& state() const { return state_; }

  /// In a checkpoint, which has none of an empty copy: tensors are lent.
  void save(Document& checkpoint) const;
  /// Fails (bad_input) with `path` where the memory is another's.
  void load(const Document& checkpoint, const std::string& path);
  /// Where a checkpoint's memory can be read to.
  TensorPlaces places();

 private:
  Tensor keep(const Tensor& tensor);

  const StreamSession& session_;
  std::unique_ptr<NodeMemory> room_;  ///< null where the session has no memory
  Document state_;
};

/// Validates the epochs of a training and keeps the best one's memory, as the model's users will
/// have it.
class EpochValidation {
 public:
  struct Options {
    /// The memory is not the one that training left, made by the weights as they were from step to
    /// step, but the one that the epoch's weights make of all events.
    bool weights_only = false;
    std::size_t window = 200;  ///< events that memory is told of at once where it is made
    std::size_t batch = 200;   ///< events that are scored at once
  };
  /// All outlive this.
  EpochValidation(const LinkData& data, const EvaluationNegatives& negatives,
                  StreamSession& session, const Options& options);

  /// The session is at the end of its training, where memory knows the events before `from`; then
  /// it is behind all that train.
  void make_memory(EventId from);
  /// The same, whatever the session knows: by the present weights alone.
  void make_memory_anew();
  /// Leaves the session where make_memory() brought it.
  LinkMetrics validate();
  /// Keeps what the session has then.
  void keep_best();
  /// Brings the session to it; its model is that epoch's already.
  void take_best();

  bool has_best() const { return best_ && !best_->empty(); }
  /// Where the memory of the best epoch is kept; null where none is.
  NodeMemory* best_memory() { return best_ ? best_->memory() : nullptr; }

  /// Of a checkpoint: tensors are lent. Loading fails (bad_input) with `path` where the memory is
  /// another's.
  void save(Document& checkpoint) const;
  void load(const Document& checkpoint, const std::string& path);
  /// Where a checkpoint's memory can be read to.
  TensorPlaces places();

 private:
  const LinkData& data_;
  const EvaluationNegatives& negatives_;
  StreamSession& session_;
  Options options_;
  std::unique_ptr<StateCopy> best_;  ///< null where the model makes its memory anew
};

}  // namespace frugal::tgn
