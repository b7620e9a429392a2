#pragma once
#include <cstddef>

#include "tools/tgn-train/best_epoch.h"
#include "tools/tgn-train/link_evaluation.h"

namespace frugal::tgn {

/// Validates the epochs of a training and keeps the best one, as the model's users will have it.
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
                  StreamSession& session, const Options& options)
      : data_(data),
        negatives_(negatives),
        session_(session),
        options_(options),
        best_(session, session.model(), !options.weights_only) {}

  /// The session is at the end of its training, where memory knows the events before `from`; then
  /// it is behind all that train.
  LinkMetrics validate(int epoch, EventId from);
  /// Brings model and session to the best epoch's, behind the events that train.
  void use_best();

  const BestEpoch& best() const { return best_; }
  BestEpoch& best() { return best_; }

 private:
  void make_memory_anew();

  const LinkData& data_;
  const EvaluationNegatives& negatives_;
  StreamSession& session_;
  Options options_;
  BestEpoch best_;
  bool session_has_best_ = false;
};

}  // namespace frugal::tgn
