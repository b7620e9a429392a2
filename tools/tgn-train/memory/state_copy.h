#pragma once
#include <memory>

#include "libcore/io/tensor_file.h"
#include "tools/tgn-train/memory/stream_session.h"

namespace frugal {

/// A copy of what a session knew, whose memory lies where the session's does: in RAM or in a file
/// beside it.
class StateCopy {
 public:
  /// The session outlives the copy.
  explicit StateCopy(const StreamSession& session) : session_(session) {}

  bool empty() const { return state_.tensors.empty(); }
  /// Of the session, behind its settle(), in the place of the one before. Fails as NodeMemory does
  /// where there is no room.
  void take();
  /// As StreamSession::save() has it; lent by the copy.
  const Document& state() const { return state_; }

  /// In a checkpoint, which has none of an empty copy: tensors are lent.
  void save(Document& checkpoint) const;
  void load(const Document& checkpoint);
  /// Where a checkpoint's memory can be read to.
  TensorPlaces places();

 private:
  void make_room();
  Tensor keep(const Tensor& tensor);

  const StreamSession& session_;
  std::unique_ptr<NodeMemory> room_;  ///< null before there is one, or where there is no memory
  Document state_;
};

}  // namespace frugal
