#pragma once
#include "tools/tgn-train/options_train.h"
#include "tools/tgn-train/sweep.h"

namespace frugal::tgn {

struct SweepCommandOptions {
  SweepOptions sweep;
  TrainCommandOptions train;  ///< of every run
  RankOptions ranks;
  std::string plot;  ///< file for the figures as SVG; "" = none
};

Command sweep_command(SweepCommandOptions& options);

}  // namespace frugal::tgn
