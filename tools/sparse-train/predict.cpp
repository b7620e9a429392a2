#include "tools/sparse-train/predict.h"

#include <sys/stat.h>

#include <array>
#include <cstdio>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/io/record_reader.h"
#include "libcore/system/clock.h"
#include "libcore/system/output_file.h"
#include "tools/sparse-train/network/trainer.h"

namespace frugal {
namespace {

constexpr std::size_t kBlock = 4096;  ///< lines of a file that are predicted together

bool is_regular_file(const std::string& path) {
  struct stat status {};
  return (path == "-" ? fstat(0, &status) : stat(path.c_str(), &status)) == 0 &&
         S_ISREG(status.st_mode);
}

/// Answers for the examples of a dataset as text.
class Answers {
 public:
  Answers(const Model& model, std::size_t top_k)
      : model_(model),
        scorer_(make_scorer(model, {.top_k = top_k, .quick = true})),
        names_(model.featurizer.label_names()) {}

  void append(Dataset& data, std::string& text) const {
    if (model_.normalize) normalize_rows(data);
    const std::vector<ScoredLabel> best = scorer_->predict(data, 0, data.size());
    for (std::size_t i = 0; i < best.size(); ++i) {
      std::array<char, 32> score{};
      std::snprintf(score.data(), score.size(), ":%.6g", static_cast<double>(best[i].score));
      text += names_[best[i].label];
      text += score.data();
      text += (i + 1) % scorer_->k() == 0 ? '\n' : ' ';
    }
  }

 private:
  const Model& model_;
  std::unique_ptr<Scorer> scorer_;
  const std::vector<std::string>& names_;
};

}  // namespace

PredictResult predict(const PredictOptions& options) {
  Model model = load_model(options.model);
  if (options.format != "auto") model.featurizer.set_format(options.format);
  const Answers answers(model, options.top_k);
  OutputFile output(options.output, {.binary = false, .if_changed = false});
  RecordReader reader(options.data, model.featurizer.record_style());
  const std::size_t block = is_regular_file(options.data) ? kBlock : 1;
  const double began = wall_seconds();
  PredictResult result;
  std::string text;
  Dataset data;
  const auto flush = [&] {
    text.clear();
    answers.append(data, text);
    output.write(text.data(), text.size());
    result.examples += data.size();
    data = Dataset();
  };
  std::string_view record;
  while (reader.next(record)) {
    if (reader.line_number() == 1 && model.featurizer.is_header(record)) continue;
    try {
      model.featurizer.add_record(record, data);
    } catch (const Error& error) {
      fail(error.status(), reader.place(), ": ", error.what());
    }
    if (data.size() >= block) flush();
  }
  if (data.size() != 0) flush();
  output.commit();
  result.seconds = wall_seconds() - began;
  return result;
}

}  // namespace frugal
