#pragma once
#include <memory>
#include <string>

#include "libcore/io/tensor_file.h"
#include "tools/tgn-train/memory/stream_session.h"

namespace frugal::tgn {

/// A copy of what a session knew, whose memory lies where the session's does: in RAM or in a file
/// beside it.
class StateCopy {
 public:
  /// Takes the room that memory will need, or fails as NodeMemory does. The session outlives the
  /// copy.
  explicit StateCopy(const StreamSession& session);

  bool empty() const { return state_.tensors.empty(); }
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

}  // namespace frugal::tgn
