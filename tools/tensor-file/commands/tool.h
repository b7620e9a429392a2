#pragma once
#include <string>
#include <vector>

#include "libcore/cli/tool.h"
#include "tools/tensor-file/cat.h"
#include "tools/tensor-file/convert.h"
#include "tools/tensor-file/diff.h"
#include "tools/tensor-file/info.h"

namespace frugal::tensor_file {

/// All options of the program; the tool writes into them while it parses.
struct TensorFileOptions {
  TensorReadOptions read;  ///< of every command
  std::vector<std::string> limits = {"header=8M", "metadata=1M", "tensors=65536", "rank=8",
                                     "name=1024"};  ///< of TensorLimits
  InfoOptions info;
  CatOptions cat;
  std::string cat_rows;  ///< "A:B"
  ConvertOptions convert;
  std::string convert_dtype = "keep";
  std::vector<std::string> verify_files;
  DiffOptions diff;
};

/// The tool's commands, bound to `options`, which must outlive it.
Tool tensor_file_tool(TensorFileOptions& options);

}  // namespace frugal::tensor_file
