#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "libcore/parallel/communicator.h"
#include "libcore/train/training_run.h"
#include "tools/gnn-sample/data/stored_graph.h"
#include "tools/gnn-sample/run/train_result.h"
#include "tools/gnn-sample/settings/train_options.h"

namespace frugal::gnn {

/// Base of the trainings of all models for graphs: validates, observes and tests them.
class GraphTrainee : public Trainee {
 public:
  bool can_validate() const override { return num_seeds(Part::valid) != 0; }
  Scores validate(const RunPosition& at) override;

 protected:
  GraphTrainee(const TrainOptions& options, const TrainObserver& observer)
      : options_(options), observer_(observer), clock_(options) {}

  virtual std::size_t num_seeds(Part part) const = 0;
  virtual std::uint64_t steps_per_epoch() const = 0;
  virtual TaskMetrics evaluate(Part part) = 0;
  /// Last choices that a trained model leaves to validation; true if they change its metrics.
  virtual bool complete_model() { return false; }

  /// Number of steps of the whole run.
  std::uint64_t total_steps() const;
  /// Trains from the beginning or from `state`. Unless a signal stopped the run, also tests the
  /// model of the best epoch.
  void train_and_test(const RunCheckpoint& checkpoint, Communicator& ranks, Document* state);
  /// Fails (bad_input) if the document of a trained model has numbers that are not finite, which no
  /// command would read.
  void check_trained(const Document& document) const;
  /// True while the trained model is tested, once a signal has requested the end.
  bool test_stops() const { return tests_ && clock_.is_stopped(); }

  TrainOptions options_;
  const TrainObserver& observer_;
  RunClock clock_;
  std::unique_ptr<StoredGraph> graph_;
  TrainResult result_;

 private:
  RunObserver run_observer();

  void test();

  std::optional<TaskMetrics> validation_;  ///< the last one
  bool tests_ = false;                     ///< the training is complete
};

}  // namespace frugal::gnn
