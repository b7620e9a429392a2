#include "libcore/train/trainee.h"

#include "libcore/options/option_fields.h"

namespace frugal {
namespace {

constexpr int kMostEpochs = 1 << 30;

OptionFields described_step(RunPosition& at) {
  OptionFields f;
  f.add("step", at.step);
  return f;
}

OptionFields described(RunPosition& at) {
  OptionFields f;
  f.add("epoch", at.epoch).range(0, kMostEpochs);
  f.add("samples", at.samples);
  f.add("loss_sum", at.loss_sum);
  f.add("began", at.began);
  f.add("complete", at.complete);
  f.add("loss", at.loss);
  return f;
}

OptionFields described_best(RunPosition& at) {
  OptionFields f;
  f.add("validated_epoch", at.validated_epoch).range(0, kMostEpochs);
  f.add("best_epoch", at.best_epoch).range(0, kMostEpochs);
  f.add("best_score", at.best_score);
  f.add("best_loss", at.best_loss);
  return f;
}

}  // namespace

double RunPosition::mean_loss() const {
  return samples == 0 ? loss : loss_sum / static_cast<double>(samples);
}

void RunPosition::save(Document& state) const {
  RunPosition at = *this;
  write_metadata(described_step(at), "frugal.", state.metadata);
  write_metadata(described(at), "train.", state.metadata);
  if (has_best()) write_metadata(described_best(at), "train.", state.metadata);
}

RunPosition RunPosition::load(const Document& state, const std::string& path) {
  RunPosition at;
  read_metadata(described_step(at), "frugal.", state.metadata, path);
  read_metadata(described(at), "train.", state.metadata, path);
  if (!state.metadata.contains("train.validated_epoch")) return at;
  read_metadata(described_best(at), "train.", state.metadata, path);
  return at;
}

}  // namespace frugal
