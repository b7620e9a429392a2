#include "tools/tensor-file/verify.h"

#include <nlohmann/json.hpp>

#include "libcore/base/text.h"
#include "libcore/tensors/document_gate.h"

namespace frugal::tensor_file {
namespace {

void read_everything(FileCheck& check, const TensorReadOptions& options,
                     const ProgressFunction& progress) {
  const auto source = open_documents(check.path, options);
  while (const auto document = source->next_info()) {
    check_version(document->metadata, check.path);
    for (const TensorInfo& tensor : document->tensors) {
      for_each_piece(*source, tensor, 0, num_rows(tensor.shape), [&](const Tensor& piece) {
        check.bytes += piece.bytes.size();
        progress(static_cast<double>(source->bytes_read()));
      });
      ++check.tensors;
    }
    ++check.documents;
  }
  if (source->lacks_seek_table()) {
    fail(ExitStatus::bad_input, check.path,
         ": truncated: no seek table behind the last document, which is whole; if another program "
         "compressed "
         "the file, tensor-file convert adds one");
  }
}

}  // namespace

FileCheck verify_file(const std::string& path, const TensorReadOptions& options,
                      const ProgressFunction& progress) {
  FileCheck check;
  check.path = path;
  try {
    read_everything(check, options, progress);
  } catch (const Error& error) {
    check.status = error.status();
    check.problem = error.what();
  }
  return check;
}

std::string check_text(const FileCheck& check) {
  if (!check.problem.empty()) return check.problem;
  return check.path + ": whole: " + format_count(check.documents, "document") + ", " +
         format_count(check.tensors, "tensor") + ", " + format_bytes(check.bytes);
}

void add_check(const FileCheck& check, nlohmann::ordered_json& files) {
  nlohmann::ordered_json entry = {{"path", check.path},
                                  {"whole", check.status == ExitStatus::ok},
                                  {"documents", check.documents},
                                  {"tensors", check.tensors},
                                  {"bytes", check.bytes}};
  if (!check.problem.empty()) entry["problem"] = check.problem;
  files.push_back(std::move(entry));
}

}  // namespace frugal::tensor_file
