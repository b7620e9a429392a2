#include "tools/sparse-train/commands/tool.h"

namespace frugal::sparse {

Tool sparse_train_tool(SparseTrainOptions& options) {
  Tool tool;
  tool.name = "sparse-train";
  tool.summary = "train text and multi-label classifiers on CPUs";
  tool.description =
      "Classifies text and sparse feature vectors into a few or very many labels, with a network "
      "of one hidden layer or linear label trees. It is made for CPUs. It reads text once with all "
      "cores and updates only the table rows that an example touches. If there are many outputs, "
      "it computes only some of them.";
  tool.commands = {train_command(options),
                   eval_command(options.models.eval),
                   predict_command(options.models.predict),
                   tune_command(options.tune),
                   info_command(options.models.info),
                   export_command(options.models.exporting),
                   convert_command(options.convert)};
  tool.see_also = {"frugal-tables(7)", "tensor-file(1)", "tensor-file(5)"};
  return tool;
}

}  // namespace frugal::sparse
