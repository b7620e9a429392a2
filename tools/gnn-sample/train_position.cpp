#include "tools/gnn-sample/train_position.h"

#include "libcore/base/text.h"
#include "libcore/io/metadata_reader.h"
#include "libcore/nn/nested_document.h"

namespace frugal::gnn {
namespace {

const std::string kBest = "best.";  ///< before the names of the best epoch's tensors
constexpr std::uint64_t kMaxEpochs = std::uint64_t{1} << 30;

}  // namespace

void TrainPosition::save(Document& state) const {
  Metadata& m = state.metadata;
  m["frugal.step"] = std::to_string(step);
  m["train.epoch"] = std::to_string(epoch);
  m["train.loss_sum"] = format_number(loss_sum);
  m["train.loss_nodes"] = std::to_string(loss_nodes);
  m["train.loss"] = format_number(loss);
  m["train.validated_epoch"] = std::to_string(validated_epoch);
  m["train.best_epoch"] = std::to_string(best_epoch);
  m["train.best_score"] = format_number(best_score);
  m["train.best_loss"] = format_number(best_loss);
  if (best) add_nested(state, kBest, *best);
}

TrainPosition TrainPosition::load(const Document& state, const std::string& path) {
  const MetadataReader read(state, path);
  TrainPosition at;
  at.step = read.number("frugal.step");
  at.epoch = static_cast<int>(read.number("train.epoch", 0, kMaxEpochs));
  at.loss_sum = read.real("train.loss_sum");
  at.loss_nodes = read.number("train.loss_nodes");
  at.loss = read.real("train.loss");
  at.validated_epoch = static_cast<int>(read.number("train.validated_epoch", 0, kMaxEpochs));
  at.best_epoch = static_cast<int>(read.number("train.best_epoch", 0, kMaxEpochs));
  at.best_score = read.real("train.best_score");
  at.best_loss = read.real("train.best_loss");
  at.best = nested_document(state, kBest);
  return at;
}

}  // namespace frugal::gnn
