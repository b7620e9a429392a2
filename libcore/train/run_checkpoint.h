#pragma once
#include <optional>
#include <string>

#include "libcore/base/trainer_settings.h"
#include "libcore/train/checkpoint.h"

namespace frugal {

/// The checkpoint that a training's options name, if they name one.
class RunCheckpoint {
 public:
  /// Without a checkpoint.
  RunCheckpoint() = default;
  RunCheckpoint(const TrainerSettings& settings, const std::string& tool, RunIdentity identity);

  /// What to go on from, with --resume and where it is there.
  std::optional<Document> load(const TensorPlaces& places = {}) const;
  /// Nothing without a checkpoint.
  void save(Document state) const;
  bool exists() const { return file_.has_value(); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool resume_ = false;
  std::optional<CheckpointFile> file_;
};

}  // namespace frugal
