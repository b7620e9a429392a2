#include "tools/robe-compress/train_position.h"

#include "libcore/base/text.h"
#include "libcore/io/metadata_reader.h"
#include "libcore/nn/nested_document.h"

namespace frugal::robe {
namespace {

const std::string kBest = "best.";  ///< before the names of the best epoch's model
constexpr std::uint64_t kMaxEpochs = std::uint64_t{1} << 30;

}  // namespace

void TrainPosition::save(Document& state) const {
  Metadata& m = state.metadata;
  m["frugal.step"] = std::to_string(step);
  m["train.epoch"] = std::to_string(epoch);
  m["train.samples"] = std::to_string(samples);
  m["train.loss_sum"] = format_number(loss_sum);
  m["train.positives"] = format_number(positives);
  m["train.loss_samples"] = std::to_string(loss_samples);
  m["train.best_epoch"] = std::to_string(best_epoch);
  m["train.best_loss"] = format_number(best_loss);
  m["train.hot_share"] = format_number(hot_share);
  m["train.epochs"] = std::to_string(epochs);
  if (best) add_nested(state, kBest, *best);
}

TrainPosition TrainPosition::load(const Document& state, const std::string& path) {
  const MetadataReader read(state, path);
  TrainPosition at;
  at.step = read.number("frugal.step");
  at.epoch = static_cast<int>(read.number("train.epoch", 0, kMaxEpochs));
  at.samples = read.number("train.samples");
  at.loss_sum = read.real("train.loss_sum");
  at.positives = read.real("train.positives");
  at.loss_samples = read.number("train.loss_samples");
  at.best_epoch = static_cast<int>(read.number("train.best_epoch", 0, kMaxEpochs));
  at.best_loss = read.real("train.best_loss");
  at.hot_share = read.real("train.hot_share");
  at.epochs = static_cast<int>(read.number("train.epochs", 0, kMaxEpochs));
  at.best = nested_document(state, kBest);
  return at;
}

}  // namespace frugal::robe
