#pragma once
#include <string>

#include "libcore/nn/optimizer.h"
#include "libcore/nn/optimizer_rules.h"
#include "libcore/nn/schedule.h"
#include "libcore/options/option_fields.h"
#include "libcore/train/checkpoint.h"

namespace frugal {

// Options with the same meaning in every training. A tool may change the help, or let the data
// choose the value (OptionField::automatic).

/// least: smallest valid rate. Pass 0 to permit a rate of 0.
template <class Real>
OptionField& add_learning_rate(const OptionFields& f, Real& rate,
                               const std::string& help = "peak learning rate",
                               double least = 1e-9) {
  return f.add("--learning-rate", rate, help).range(least, 1000.0);
}

inline OptionField& add_epochs(
    const OptionFields& f, int& epochs,
    const std::string& help = "number of passes over the training data") {
  return f.add("--epochs", epochs, help).range(1, 1000000);
}

/// help: what a batch consists of. most: largest size that the tool supports.
template <class Whole>
OptionField& add_batch_size(const OptionFields& f, Whole& size, const std::string& help,
                            Whole most) {
  return f.add("--batch-size", size, help).range(Whole{1}, most);
}

inline OptionField& add_patience(
    const OptionFields& f, int& patience,
    const std::string& help =
        "epochs without improvement until early stopping (by the validation result); 0: never") {
  return f.add("--patience", patience, help).range(0, 1000000);
}

inline OptionField& add_steps(const OptionFields& f, std::uint64_t& steps) {
  return f.add("--steps", steps, "stop after this many mini-batches in total; 0: no limit");
}

inline OptionField& add_optimizer(const OptionFields& f, std::string& optimizer,
                                  const std::string& help = "optimisation algorithm") {
  return f.add("--optimizer", optimizer, help).choices(optimizer_names());
}

inline OptionField& add_schedule(const OptionFields& f, std::string& schedule) {
  return f
      .add("--schedule", schedule,
           "how the learning rate changes after the warm-up. constant: it stays. linear, "
           "cosine: it falls to 0 at the end of the run")
      .choices(schedule_names());
}

inline OptionField& add_weight_decay(
    const OptionFields& f, float& share,
    const std::string& help =
        "factor of L2 regularisation; each weight times this is added to its gradient") {
  return f.add("--weight-decay", share, help).range(0.0, 10.0);
}

inline OptionField& add_warm_up(
    const OptionFields& f, double& share,
    const std::string& help =
        "share of the steps in which the learning rate rises linearly from 0 to its peak") {
  return f.add("--warm-up", share, help).range(0.0, 1.0);
}

/// Returns the options that must be the same for --resume: those of `describe` and the common ones,
/// as far as they change the result. precision: the member of `options` for --precision.
template <class Options>
OptionTexts run_options(Options& options, void (*describe)(const OptionFields&, Options&),
                        Precision& precision) {
  const OptionFields fields;
  describe(fields, options);
  return run_options(fields, options.seed, precision);
}

}  // namespace frugal
