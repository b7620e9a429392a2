#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "libcore/cli/tool.h"
#include "tools/tensor-file/cat.h"
#include "tools/tensor-file/convert.h"
#include "tools/tensor-file/diff.h"
#include "tools/tensor-file/info.h"

namespace frugal::tensor_file {

/// What several commands have in common, as the user writes it.
struct ReadTexts {
  TensorReadOptions read;
  std::string max_header = "8M";
  std::string max_metadata = "1M";
  std::string max_memory;  ///< "" = 80 % of what is left
};
struct CatTexts {
  std::string rows;
  std::string format = "text";
  std::string document = "all";
};
struct ConvertTexts {
  std::string level = "auto";
  std::string frame_size = "256K";
  std::string dtype = "keep";
};

/// All options of the program; the tool writes into them while it parses.
struct TensorFileOptions {
  ReadTexts read;
  InfoOptions info;
  CatOptions cat;
  CatTexts cat_texts;
  ConvertOptions convert;
  ConvertTexts convert_texts;
  std::vector<std::string> verify_files;
  DiffOptions diff;
};

/// The tool's commands, bound to `options`, which must outlive it.
Tool tensor_file_tool(TensorFileOptions& options);

}  // namespace frugal::tensor_file
