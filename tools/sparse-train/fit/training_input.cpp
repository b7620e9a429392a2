#include "tools/sparse-train/fit/training_input.h"

#include "libcore/base/error.h"
#include "tools/sparse-train/data/data_gaps.h"
#include "tools/sparse-train/fit/continuation.h"
#include "tools/sparse-train/text/training_data.h"

namespace frugal::sparse {
namespace {

void check_not_empty(const TrainOptions& options, const Dataset& data) {
  if (data.num_labels == 0) {
    fail(ExitStatus::bad_input, options.data,
         ": no example has a label, expected labelled examples");
  }
  if (data.num_features == 0) {
    fail(ExitStatus::bad_input, options.data, ": no feature occurs in ", options.features.min_count,
         " examples, expected some; --min-count 1 keeps all, and --char-ngrams 2:5 reads texts "
         "without blanks between words");
  }
}

}  // namespace

TrainingInput read_training_input(const TrainOptions& options, bool watched) {
  TrainingInput input;
  input.normalize = options.normalize;
  std::optional<Featurizer> init;
  if (!options.init.empty()) {
    const Document document = read_document(options.init);
    input.initial = load_model(document, options.init);
    input.initial_fingerprint = fingerprint(document);
    init = std::move(input.initial->featurizer);
    input.normalize = input.initial->normalize;
  }
  const DataRequest request{options.data, options.features, input.normalize, options.keep_names,
                            options.cache};
  TrainingData training = read_training_data(request, std::move(init));
  input.featurizer = std::move(training.featurizer);
  input.data = std::move(training.data);
  if (!options.validation.empty()) input.validation = input.featurizer->read(options.validation);
  check_not_empty(options, input.data);
  if (!input.initial && !options.features.quiet)
    check_labels_differ(options.data, input.data, input.featurizer->label_names());
  if (watched) warn_of_gaps(options.data, input.data);
  if (watched && !options.validation.empty())
    warn_of_gaps(options.validation, input.validation, "the model");
  if (input.normalize) normalize_rows(input.validation);
  input.label_counts = count_labels(input.data);
  if (input.initial) add_counts(input.initial->label_counts, input.label_counts);
  return input;
}

}  // namespace frugal::sparse
