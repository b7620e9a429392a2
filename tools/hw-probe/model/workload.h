#pragma once
#include <deque>
#include <string>
#include <vector>

#include "libcore/options/option_fields.h"

namespace frugal::probe {

/// A part of a training step. What a sample needs grows with the batch, what a step needs does not.
struct Stage {
  std::string name;
  std::string lane = "main";  ///< stages of a lane follow each other; beside a device lanes overlap
  bool on_host = false;       ///< else on the device, where the machine has one
  std::string kernel;         ///< kind that calibration has an efficiency for; "" = none
  bool bf16 = false;          ///< products of 16 bits where the processor has them
  double sample_flop = 0, step_flop = 0;
  double product_rows = 0;     ///< a sample adds so many rows to the products; 0 = they fill units
  double product_columns = 0;  ///< of the products' results
  double sample_bytes = 0, step_bytes = 0;  ///< read or written in long runs
  double bytes_set = 0;                     ///< working set of them
  double sample_rows = 0, step_rows = 0;    ///< random rows read or written
  double row_bytes = 64;
  double table_bytes = 0;        ///< that the rows are spread over
  double sample_core_us = 0;     ///< of one core in the program itself, beside all above
  double cores = 0;              ///< that the program uses at most; 0 = all
  double launches = 0;           ///< kernels or operations of the framework in a step
  double sample_copy_bytes = 0;  ///< from host to device
  double copies = 0;             ///< in a step
};

/// How the ranks of several nodes exchange what they have.
enum class Exchange { none, reduce, all_to_all };

/// configs/workloads/NAME.yaml, or what a run's log says.
struct Workload {
  std::string name;
  std::string title;
  std::string tool;  ///< of ours that runs it: "tgn-train"; "" = another program
  double epoch_samples = 0;
  double batch = 0;
  bool has_batches = true;      ///< false: an epoch is one step, and the tool is asked for no batch
  double epochs = 1;            ///< of a whole training
  double setup_core_us = 0;     ///< of one core for a sample, once before the first epoch
  double validation_share = 0;  ///< time of validation after an epoch, as a share of the epoch's
  double state_bytes = 0;       ///< parameters and optimiser's state where the main lane runs
  double host_bytes = 0;        ///< data and tables in the host's memory
  double batch_bytes = 0;  ///< activations and gradients of a sample of a step, beside the state
  bool sharded = false;    ///< nodes share state, host bytes and tables out
  double launch_us = 0;    ///< the framework's cost of an operation, beside the machine's
  Exchange exchange = Exchange::none;
  double exchange_bytes = 0;         ///< of a rank in a step
  double exchange_sample_bytes = 0;  ///< the same for each sample
  double exchange_overlap = 0;       ///< share of the exchange that hides behind computation
  std::vector<std::string> stage_names;
  std::deque<Stage> stages;  ///< stay where they are while others are added
  std::vector<std::string> estimates;
};

/// The keys of a workload's file but those of its stages.
void describe(const OptionFields& fields, Workload& workload);
/// The keys of one stage, behind its name.
void describe(const OptionFields& fields, Stage& stage);

/// Makes the stages that stage_names lists and describes all: where a document is read. Fails
/// (usage) with `path` on more than 64 names, and on a name that is empty, has control characters
/// or makes a key twice.
void describe_stages(const OptionFields& fields, Workload& workload, const std::string& path);

/// Fails (usage) with `path` where values contradict each other.
void check(const Workload& workload, const std::string& path);

}  // namespace frugal::probe
