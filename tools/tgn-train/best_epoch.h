#pragma once
#include <memory>
#include <string>

#include "libcore/io/tensor_file.h"
#include "tools/tgn-train/memory/state_copy.h"
#include "tools/tgn-train/network/tgn_model.h"

namespace frugal::tgn {

/// The epoch that validates best so far: its model and the memory behind the events that train.
class BestEpoch {
 public:
  /// Session and model, which is the session's, outlive this. keeps_state: or the memory is one
  /// that the model makes anew.
  BestEpoch(const StreamSession& session, TgnModel& model, bool keeps_state)
      : model_(model), state_(keeps_state ? std::make_unique<StateCopy>(session) : nullptr) {}

  int number() const { return number_; }  ///< counted from 1; 0: none yet
  /// Takes model and session as they are if that score is better than the best; returns whether.
  bool offer(int number, double score);
  /// Brings the model back, and the session where its state is kept.
  void give(StreamSession& session) const;

  /// Of a checkpoint: tensors are lent. Loading fails (bad_input) with `path` where something is
  /// missing or no number.
  void save(Document& checkpoint) const;
  void load(const Document& checkpoint, const std::string& path);
  /// Where a checkpoint's memory can be read to.
  TensorPlaces places();

 private:
  TgnModel& model_;
  int number_ = 0;
  double score_ = 0;
  std::unique_ptr<Document> weights_;
  std::unique_ptr<StateCopy> state_;  ///< null where it is not kept
};

}  // namespace frugal::tgn
