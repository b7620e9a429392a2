#pragma once
#include <cstddef>
#include <cstdint>

#include "tools/tgn-train/best_epoch.h"
#include "tools/tgn-train/link_evaluation.h"

namespace frugal {

/// Which memory of the events that train an epoch is validated with, and the model has: the one
/// that training left, made by the weights as they were from step to step; the one that the epoch's
/// weights make of all events; the one that validates better.
enum class FinalMemory : std::uint8_t { best, training, anew };

/// Validates the epochs of a training and keeps the best one.
class EpochValidation {
 public:
  struct Options {
    FinalMemory final_memory = FinalMemory::best;
    bool weights_only = false;  ///< of the best epoch; with FinalMemory::anew
    std::size_t window = 200;   ///< events that memory is told of at once where it is made
    std::size_t batch = 200;    ///< events that are scored at once
  };
  /// All outlive this.
  EpochValidation(const LinkData& data, const EvaluationNegatives& negatives,
                  StreamSession& session, const Options& options)
      : data_(data),
        negatives_(negatives),
        session_(session),
        options_(options),
        best_(session, session.model(), !options.weights_only) {}

  struct Result {
    LinkMetrics metrics;
    bool made_anew = false;  ///< the memory
  };
  /// The session is at the end of its training, where memory knows the events before `from`. What
  /// its memory is then is not said.
  Result validate(int epoch, EventId from);
  /// Brings model and session to the best epoch's, behind the events that train.
  void use_best();

  const BestEpoch& best() const { return best_; }
  BestEpoch& best() { return best_; }

 private:
  void make_memory_anew();
  Result validate_with(int epoch, bool made_anew);

  const LinkData& data_;
  const EvaluationNegatives& negatives_;
  StreamSession& session_;
  Options options_;
  BestEpoch best_;
  bool session_has_best_ = false;
};

}  // namespace frugal
