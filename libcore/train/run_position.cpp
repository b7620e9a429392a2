#include "libcore/train/run_position.h"

#include "libcore/base/text.h"
#include "libcore/io/metadata_reader.h"

namespace frugal {
namespace {

constexpr std::uint64_t kMostEpochs = std::uint64_t{1} << 30;

}  // namespace

double RunPosition::mean_loss() const {
  return samples == 0 ? loss : loss_sum / static_cast<double>(samples);
}

void RunPosition::save(Document& state) const {
  Metadata& m = state.metadata;
  m["frugal.step"] = std::to_string(step);
  m["train.epoch"] = std::to_string(epoch);
  m["train.samples"] = std::to_string(samples);
  m["train.loss_sum"] = format_number(loss_sum);
  m["train.began"] = began ? "true" : "false";
  m["train.complete"] = complete ? "true" : "false";
  m["train.loss"] = format_number(loss);
  if (!has_best()) return;
  m["train.validated_epoch"] = std::to_string(validated_epoch);
  m["train.best_epoch"] = std::to_string(best_epoch);
  m["train.best_score"] = format_number(best_score);
  m["train.best_loss"] = format_number(best_loss);
}

RunPosition RunPosition::load(const Document& state, const std::string& path) {
  const MetadataReader read(state, path);
  const auto epochs = [&read](const char* key) {
    return static_cast<int>(read.number(key, 0, kMostEpochs));
  };
  RunPosition at;
  at.step = read.number("frugal.step");
  at.epoch = epochs("train.epoch");
  at.samples = read.number("train.samples");
  at.loss_sum = read.real("train.loss_sum");
  at.began = read.flag("train.began");
  at.complete = read.flag("train.complete");
  at.loss = read.real("train.loss");
  if (!read.has("train.validated_epoch")) return at;
  at.validated_epoch = epochs("train.validated_epoch");
  at.best_epoch = epochs("train.best_epoch");
  at.best_score = read.real("train.best_score");
  at.best_loss = read.real("train.best_loss");
  return at;
}

}  // namespace frugal
