#include "tools/gnn-sample/commands/tool.h"

namespace frugal::gnn {

Tool gnn_sample_tool(GnnSampleOptions& options) {
  Tool tool;
  tool.name = "gnn-sample";
  tool.summary = "sample neighbourhoods of large graphs and train graph neural networks on them";
  tool.description =
      "Stores graphs in tensor files, samples mini-batches of message-flow blocks at the speed of "
      "memory, and streams them to other programs. Trains and runs GraphSAGE, GAT, GATv2, GIN, "
      "GINE, GraphSAGE-RI, GCN, SIGN, SAGN and HOGA on them, and R-GCN and R-GAT on graphs of "
      "several types.";
  tool.commands = {import_command(options.import_graph), sample_command(options.sample),
                   train_command(options.train),         eval_command(options.eval),
                   predict_command(options.predict),     export_command(options.export_batches),
                   bench_command(options.bench),         generate_command(options.generate),
                   partition_command(options.partition)};
  tool.see_also = {"frugal-tables(7)", "tensor-file(1)", "tensor-file(5)"};
  return tool;
}

}  // namespace frugal::gnn
