#pragma once
#include "libcore/train/training_fields.h"
#include "tools/tgn-train/settings/train_options.h"

namespace frugal::tgn {

inline constexpr char kTraining[] = "Training";

/// Adds the options that trainings of links and of labels share. o: TrainOptions or
/// LabelTrainOptions.
template <class Options>
void add_epoch_options(const OptionFields& f, Options& o) {
  add_learning_rate(
      f, o.learning_rate,
      "peak learning rate. auto: 1e-4, for adam alone; with --task event-label 1e-3, as with "
      "node-label, but there 3e-4 with --from")
      .automatic(o.learning_rate, 0);
  add_epochs(f, o.epochs,
             "maximum number of passes over the training events. auto: 50; with --task event-label "
             "30, as with node-label, but there 10 with --from")
      .automatic(o.epochs, 0);
  add_patience(f, o.patience,
               "epochs without improvement until early stopping (by the validation result); 0: "
               "never. The published programs use 5");
}

/// As add_epoch_options().
template <class Options>
void add_batch(const OptionFields& fields, Options& o) {
  add_batch_size(fields.group(kTraining), o.batch,
                 "number of events in an optimiser step. Larger batches are faster, but an epoch "
                 "has fewer steps. auto: 200; with --task node-label and event-label 100",
                 std::size_t{1} << 20)
      .automatic(o.batch, 0);
}

/// As add_epoch_options().
template <class Options>
void add_label_inputs(const OptionFields& f, Options& o) {
  f.add("--event-features", o.event_features,
        "with --task event-label, predict from the features of the event itself, too")
      .keeps_result(!o.event_features);
  f.add("--label-history", o.label_history,
        "whether labels are also predicted from labels of strictly earlier events, and their ages. "
        "These are events of the source and of the destination, in either role, and of their pair "
        "in either direction. Their labels must be known by then. Each event takes 212 bytes of "
        "memory if labels are 0 and 1 or numbers, and its pair about 56. With classes, an event "
        "takes about 248, and 16 for each class that either node had before, per role. Each node "
        "then takes 24 bytes for every class. auto: yes, but no with --task node-label --from")
      .choices({"auto", "yes", "no"})
      .keeps_result(o.label_history == "auto");
}

}  // namespace frugal::tgn
