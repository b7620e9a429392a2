#include "tools/tgn-train/commands/tool.h"

namespace frugal::tgn {

Tool tgn_train_tool(TgnTrainOptions& options) {
  Tool tool;
  tool.name = "tgn-train";
  tool.summary = "train temporal graph networks on streams of events";
  tool.description =
      "Stores streams of events (who interacted with whom, and when) in tensor files, and trains, "
      "evaluates and runs temporal graph networks on them. Such a network has a memory for each "
      "node, which every event of the node updates, and attention over the node's most recent "
      "neighbours.";
  tool.commands = {import_command(options.import_events),
                   generate_command(options.generate),
                   train_command(options.train),
                   sweep_command(options.sweep),
                   eval_command(options.eval),
                   embed_command(options.embed),
                   predict_command(options.predict),
                   export_command(options.export_network),
                   train_affinity_command(options.train_affinity),
                   eval_affinity_command(options.eval_affinity),
                   predict_affinity_command(options.predict_affinity)};
  tool.see_also = {"frugal-tables(7)", "tensor-file(1)", "tensor-file(5)"};
  return tool;
}

}  // namespace frugal::tgn
