#include "tools/tgn-train/serve/prediction_labels.h"

#include "libcore/base/log.h"
#include "tools/tgn-train/labels/event_labels.h"

namespace frugal::tgn {

void PredictionLabels::pass(const EventStream& stream, const std::string& path) {
  if (!task_.reads_history) return;
  grow(stream.num_nodes());
  if (stream.labels().empty() && stream.targets().empty()) {
    log_warning(stream.path(),
                ": events have no labels, which the model reads of earlier events; if all are 0, "
                "import --columns NAME:label keeps them");
    return;
  }
  EventLabels labels(stream);
  labels.fit(task_, path);
  for (EventId e = 0; e < stream.num_events(); ++e) {
    history_.go_to(stream.times().between(0, e));
    history_.add(stream.sources()[e], stream.destinations()[e], task_.scaled(labels.at(e)));
  }
}

float PredictionLabels::label_of(const TextEvent& event) const {
  if (!event.class_name.empty()) return task_.number_of(event.class_name, "", "");
  task_.check_range(event.target, "");
  return task_.scaled(event.target);
}

void PredictionLabels::expect(NodeId source, NodeId destination, double time,
                              const EventInputs& inputs, float label) {
  ++expected_;
  std::size_t at = facts_.size();
  facts_.resize(at + stored_.labels->dim() - task_.embedded(*stored_.model));
  if (task_.reads_features) {
    const FeatureRows row{Dtype::f32,
                          std::as_bytes(inputs.features).data(),
                          1,
                          inputs.features.size(),
                          &stored_.session.edge_scaling,
                          &inputs.type,
                          stored_.types.size()};
    row.read(0, facts_.data() + at);
    at += row.width();
  }
  if (!task_.reads_history) return;
  history_.go_to(time);
  history_.read(source, destination, facts_.data() + at);
  history_.add(source, destination, label);
}

void PredictionLabels::take(MatrixView<const float> embeddings) {
  const float scale = task_.embedding_scale(*stored_.model);
  for (std::size_t r = 0; r < embeddings.rows; ++r) {
    if (r % 2 != 0 && !task_.of_event) continue;
    for (const float x : embeddings.row_span(r)) embeddings_.push_back(scale * x);
  }
}

std::vector<std::string> PredictionLabels::answers(ScoreForm form, bool json) {
  const std::size_t width = task_.embedded(*stored_.model);
  const std::size_t n = expected_, beside = stored_.labels->dim() - width;
  std::vector<float> rows;
  for (std::size_t i = 0; i < n; ++i) {
    rows.insert(rows.end(), embeddings_.data() + i * width, embeddings_.data() + (i + 1) * width);
    rows.insert(rows.end(), facts_.data() + i * beside, facts_.data() + (i + 1) * beside);
  }
  const MatrixView<const float> outputs = stored_.labels->score({rows.data(), n, width + beside});
  std::vector<std::string> answers;
  for (std::size_t i = 0; i < n; ++i) {
    answers.push_back(label_answer(task_, outputs.row_span(i), form, json));
  }
  expected_ = 0;
  embeddings_.clear();
  facts_.clear();
  return answers;
}

}  // namespace frugal::tgn
