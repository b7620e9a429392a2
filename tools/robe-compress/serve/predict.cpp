#include "tools/robe-compress/serve/predict.h"

#include <cmath>

#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/streams/regular_file.h"
#include "libcore/system/output_file.h"
#include "libcore/tensors/document_gate.h"
#include "tools/robe-compress/data/click_source.h"
#include "tools/robe-compress/model/click_model.h"
#include "tools/robe-compress/steps/device_trainer.h"

namespace frugal::robe {
namespace {

constexpr std::size_t kAnswerBatch = 8192;
constexpr int kAnswerDigits = 7;
/// Batches of an opened model whose numbers are checked by use, before all are.
constexpr int kBatchesByUse = 16;

}  // namespace

ClickPredictResult predict_clicks(const ClickPredictOptions& options) {
  // To read all of a model, or to start a device, takes longer than to answer a few samples.
  const bool at_once =
      has_few_records(options.data) && (options.device == "cpu" || options.device == "auto");
  const ClickModel model = at_once ? open_model(options.model, options.precision)
                                   : load_model(options.model, options.precision);
  const auto predictor = open_predictor(
      *model.embedding, *model.network,
      {at_once ? "cpu" : options.device, "robe-compress predict", options.precision});
  ClickSource source(options.data, options.input, model.encoder, Labels::ignored, Pace::prompt);
  OutputFile output(options.output, {.binary = false});
  ClickBatch batch;
  int batches = 0;
  std::string text;
  ClickPredictResult result;
  while (source.next(batch, kAnswerBatch)) {
    // A long stream would look everything up twice.
    if (model.source && batches < kBatchesByUse) check_used(model, batch, options.model);
    if (model.source && batches == kBatchesByUse)
      check_finite(model.source->document, options.model);
    ++batches;
    text.clear();
    for (const float logit : predictor->logits(batch)) {
      const double value = logit;
      text +=
          format_number(options.logits ? value : 1 / (1 + std::exp(-value)), kAnswerDigits) + '\n';
    }
    output.write(text.data(), text.size());
    result.samples += batch.size;
  }
  output.commit();
  result.unknown = source.unknown_values();
  if (result.samples == 0 && !(options.input.lines.empty() && options.input.days.empty())) {
    log_warning(source.name(), ": has no samples where --lines and --days look");
  }
  say_unknown(result.unknown, source.name());
  return result;
}

}  // namespace frugal::robe
