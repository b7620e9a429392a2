#include "tools/robe-compress/commands/tool.h"

namespace frugal::robe {

Tool robe_compress_tool(RobeCompressOptions& options) {
  Tool tool;
  tool.name = "robe-compress";
  tool.summary = "train click models with embedding tables in a thousandth of the memory";
  tool.description =
      "Stores the embedding tables of a recommendation model in one small array of parameters, "
      "which all rows share by hashing (ROBE), or in an alternative.";
  tool.commands = {train_command(options.train),
                   eval_command(options.models.eval),
                   predict_command(options.models.predict),
                   sweep_command(options.sweep),
                   compress_command(options.fit),
                   expand_command(options.fit),
                   lookup_command(options.fit),
                   generate_command(options.generate)};
  tool.see_also = {"frugal-tables(7)", "robe-compress(5)", "tensor-file(1)", "tensor-file(5)"};
  return tool;
}

}  // namespace frugal::robe
