#include "libcore/train/run_checkpoint.h"

#include <utility>

#include "libcore/base/log.h"

namespace frugal {

RunCheckpoint::RunCheckpoint(const TrainerSettings& settings, const std::string& tool,
                             RunIdentity identity)
    : path_(settings.checkpoint), resume_(settings.resume) {
  if (!path_.empty()) file_.emplace(path_, tool, std::move(identity));
}

std::optional<Document> RunCheckpoint::load(const TensorPlaces& places) const {
  if (!file_ || !resume_) return std::nullopt;
  std::optional<Document> state = file_->load(places);
  if (!state) log_info("no checkpoint at ", path_, " yet: training from the start");
  return state;
}

void RunCheckpoint::save(Document state) const {
  if (file_) file_->save(std::move(state));
}

}  // namespace frugal
