#include "tools/sparse-train/text/record_featurizer.h"

#include "tools/sparse-train/text/dataset_writer.h"
#include "tools/sparse-train/text/featurizer_state.h"

namespace frugal::sparse {

namespace {

InputLayout like_training(InputLayout layout) {
  layout.may_lack_label = layout.keeps_blank = true;
  return layout;
}

}  // namespace

RecordFeaturizer::RecordFeaturizer(const Featurizer& featurizer, std::optional<InputLayout> layout)
    : state_(*featurizer.state_),
      layout_(layout ? std::move(*layout) : like_training(state_.layout)),
      parser_(state_.options, layout_, state_.known()) {}

void RecordFeaturizer::keep_names() {
  keeps_names_ = true;
  parser_.keep_names();
}

/// `features` are those of the record where they are ids of the input.
void RecordFeaturizer::find_names(const std::vector<std::uint32_t>& features) {
  names_.clear();
  if (state_.sparse) {
    for (const std::uint32_t f : features) {
      if (f < state_.num_features) names_.push_back("feature " + std::to_string(f));
    }
    return;
  }
  const std::vector<std::uint32_t> ids = state_.find(parser_.hashes());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] != HashIndex::kMissing) names_.push_back(parser_.names()[i]);
  }
}

void RecordFeaturizer::add(std::string_view record, Dataset& dataset) {
  std::vector<ExamplePiece> pieces(1);
  parser_.parse_record(record, pieces[0]);
  add_values(pieces[0].column_values, values_);
  if (keeps_names_) find_names(pieces[0].features);
  state_.apply(layout_, parser_.hashes(), pieces[0]);
  const std::size_t first = dataset.size();
  append_examples(pieces, dataset);
  state_.complete(dataset, false);
  state_.weighting.apply(dataset, first, "input");
}

}  // namespace frugal::sparse
