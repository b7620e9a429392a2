#include "tools/sparse-train/predict.h"

#include <sys/stat.h>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/io/record_reader.h"
#include "libcore/system/clock.h"
#include "libcore/system/output_file.h"
#include "tools/sparse-train/answers.h"

namespace frugal::sparse {
namespace {

constexpr std::size_t kLinesAtOnce = 4096;  ///< lines of a file that are predicted together

bool is_regular_file(const std::string& path) {
  struct stat status {};
  return (path == "-" ? fstat(0, &status) : stat(path.c_str(), &status)) == 0 &&
         S_ISREG(status.st_mode);
}

}  // namespace

void require_decisions(const Model& model, const std::string& path) {
  if (model.decisions) return;
  fail(ExitStatus::usage, path,
       ": has no thresholds, expected a model trained with --calibration held-out");
}

PredictResult predict(const PredictOptions& options) {
  Model model = load_model(options.model);
  if (options.thresholds != "none") require_decisions(model, options.model);
  if (options.format != "auto") model.featurizer.set_format(options.format);
  const Answers answers(model, options);
  OutputFile output(options.output, {.binary = false, .if_changed = false});
  RecordReader reader(options.data, model.featurizer.record_style());
  const std::size_t block = is_regular_file(options.data) ? kLinesAtOnce : 1;
  const double began = wall_seconds();
  PredictResult result;
  std::string text;
  Dataset data;
  std::vector<std::vector<std::string>> names;  // of the features, for explanations
  const auto flush = [&] {
    text.clear();
    answers.append(data, names, text);
    output.write(text.data(), text.size());
    result.examples += data.size();
    data = Dataset();
    names.clear();
  };
  std::string_view record;
  while (reader.next(record)) {
    if (reader.line_number() == 1 && model.featurizer.is_header(record)) continue;
    try {
      model.featurizer.add_record(record, data);
      if (options.explain) names.push_back(model.featurizer.feature_names_of(record));
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

}  // namespace frugal::sparse
