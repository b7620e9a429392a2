#include "tools/tgn-train/evaluate.h"

#include "libcore/system/clock.h"
#include "tools/tgn-train/model_file.h"
#include "tools/tgn-train/rank_source.h"

namespace frugal {

EvalResult evaluate(const EvalOptions& options) {
  const double began = wall_seconds();
  EvalResult result;
  const Document document = read_document(options.model);
  StoredTgn stored = load_model(document, options.model, options.precision);
  const LinkData data(options.events, stored.split);
  check_inputs(stored, data.stream(), options.model);
  const EvaluationNegatives negatives(data.events(), data.parts(), stored.split.seed);
  const RankSource source({options.ranks, options.num_ranked, options.seed}, data);
  result.parameters = stored.model->num_parameters();
  StreamSession session(*stored.model, data.events(), data.training_neighbors(), data.features(),
                        stored.session);
  const double read = wall_seconds();
  result.read_seconds = read - began;
  result.tests = test_links(data, negatives, session, source.ranks(), stored.batch, options.batch);
  const double tested = wall_seconds();
  result.seconds = tested - read;
  if (options.baselines) {
    BaselineOptions baselines;
    baselines.valid_ranks = source.ranks().valid;
    baselines.test_ranks = source.ranks().test;
    result.baselines = evaluate_baselines(data.events(), data.parts(), negatives, baselines);
    result.baseline_seconds = wall_seconds() - tested;
  }
  return result;
}

}  // namespace frugal
