#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "libcore/arrays/document_source.h"
#include "libcore/base/error.h"
#include "libcore/tensors/tensor_file.h"

namespace frugal::tensor_file {

struct FileCheck {
  std::string path;
  ExitStatus status = ExitStatus::ok;
  std::string problem;  ///< "" if the file is whole
  std::uint64_t documents = 0;
  std::uint64_t tensors = 0;
  std::uint64_t bytes = 0;  ///< of elements
};

/// Reads every element of every document in memory that does not grow with the file. A file that is
/// damaged, cut or cannot be read is a result, not an exception, so that the other files of a
/// command are checked too.
FileCheck verify_file(const std::string& path, const TensorReadOptions& options,
                      const ProgressFunction& progress);

/// "a.tzs: whole: 2 documents, 3 tensors, 12 KiB", or the problem.
std::string check_text(const FileCheck& check);
void add_check(const FileCheck& check, nlohmann::ordered_json& files);

}  // namespace frugal::tensor_file
