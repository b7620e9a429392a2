#include "tools/tgn-train/best_epoch.h"

#include <cstdint>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/io/metadata_reader.h"
#include "libcore/nn/nested_document.h"

namespace frugal::tgn {
namespace {

const std::string kWeights = "best.";  ///< before the names of tensors in a checkpoint
constexpr std::uint64_t kMaxEpochs = std::uint64_t{1} << 30;

}  // namespace

bool BestEpoch::offer(int number, double score) {
  if (number_ != 0 && !(score > score_)) return false;
  number_ = number;
  score_ = score;
  Document weights;
  model_.save(weights);
  weights_ = std::make_unique<Document>(weights.clone());
  if (state_) state_->take();
  return true;
}

void BestEpoch::give(StreamSession& session) const {
  const std::string name = "the best epoch";
  model_.load(*weights_, name);
  session.restart(Weights::fixed);
  if (state_) session.load(state_->state(), name);
}

void BestEpoch::save(Document& checkpoint) const {
  Metadata& m = checkpoint.metadata;
  m["train.best_epoch"] = std::to_string(number_);
  m["train.best_score"] = format_number(score_);
  if (weights_) add_nested(checkpoint, kWeights, *weights_);
  if (state_) state_->save(checkpoint);
}

void BestEpoch::load(const Document& checkpoint, const std::string& path) {
  const MetadataReader read(checkpoint, path);
  number_ = static_cast<int>(read.number("train.best_epoch", 0, kMaxEpochs));
  score_ = read.real("train.best_score");
  weights_ = nested_document(checkpoint, kWeights);
  if (state_) state_->load(checkpoint, path);
  const bool kept = weights_ != nullptr && (!state_ || !state_->empty());
  if (kept == (number_ != 0)) return;
  fail(ExitStatus::bad_input, path, ": train.best_epoch is ", number_, ", and there are ",
       kept ? "" : "no ", "tensors '", kWeights, "...' of it");
}

TensorPlaces BestEpoch::places() { return state_ ? state_->places() : TensorPlaces(); }

}  // namespace frugal::tgn
