#include "tools/robe-compress/serve/predict.h"

#include <cmath>

#include "libcore/base/text.h"
#include "libcore/system/output_file.h"
#include "tools/robe-compress/data/click_source.h"
#include "tools/robe-compress/model/click_model.h"
#include "tools/robe-compress/steps/device_trainer.h"

namespace frugal::robe {
namespace {

constexpr std::size_t kAnswerBatch = 8192;
constexpr int kAnswerDigits = 7;

}  // namespace

ClickPredictResult predict_clicks(const ClickPredictOptions& options) {
  const ClickModel model = load_model(options.model, options.precision);
  const auto predictor =
      open_predictor(*model.embedding, *model.network,
                     {options.device, "robe-compress predict", options.precision});
  ClickSource source(options.data, options.input, model.encoder, Labels::optional, Pace::prompt);
  OutputFile output(options.output, {.binary = false});
  ClickBatch batch;
  std::string text;
  ClickPredictResult result;
  while (source.next(batch, kAnswerBatch)) {
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
  say_unknown(result.unknown, source.name());
  return result;
}

}  // namespace frugal::robe
