#include "tools/tensor-file/info.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "libcore/arrays/document_source.h"
#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/streams/plain_stream.h"
#include "libcore/tensors/document_gate.h"

namespace frugal::tensor_file {
namespace {

constexpr std::size_t kLongestValue = 200;  // of metadata, in the text for people

void find_frames(const InfoOptions& options, FileInfo& info) {
  if (options.input == "-" || input_format(options.input) != FileFormat::tensors) return;
  const auto stream = open_plain_stream(options.input, false);
  const FrameIndex* frames = stream->use_table();
  info.seekable = frames != nullptr;
  if (frames == nullptr) frames = stream->use_scan();
  if (frames != nullptr) info.frames = frames->size();
}

std::string_view packing_text(Packing packing) {
  switch (packing) {
    case Packing::none: return "";
    case Packing::planes: return "  (byte planes)";
    case Packing::delta_planes: return "  (byte planes of differences)";
  }
  return "";
}

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

std::string tensor_lines(const std::vector<TensorInfo>& tensors) {
  std::size_t type_width = 4, shape_width = 0;
  for (const TensorInfo& tensor : tensors) {
    type_width = std::max(type_width, dtype_name(tensor.dtype).size());
    shape_width = std::max(shape_width, shape_text(tensor.shape).size());
  }
  std::string text;
  for (const TensorInfo& tensor : tensors) {
    text += "  " + padded(std::string(dtype_name(tensor.dtype)), type_width + 2) +
            padded(shape_text(tensor.shape), shape_width + 2) +
            padded(format_bytes(size_in_bytes(tensor.dtype, tensor.shape)), 10) +
            printable(tensor.name, 1024);
    text += packing_text(tensor.packing);
    text += '\n';
  }
  return text;
}

std::string summary(const FileInfo& info) {
  std::string text = info.path + ": " + format_count(info.documents, "document");
  if (info.frames) {
    text += ", " + format_count(*info.frames, "frame") + (info.seekable ? " with" : " without") +
            " a seek table";
  }
  if (info.stored_bytes != 0) text += ", " + format_bytes(info.stored_bytes) + " stored";
  return text + "\n";
}

}  // namespace

FileInfo file_info(const InfoOptions& options) {
  FileInfo info;
  info.path = options.input;
  info.document = options.document;
  const auto source = open_documents(options.input, options.read);
  const auto known = source->num_documents();
  if (known && options.document < *known) {
    source->seek(options.document);
    info.described = std::move(*source->next_info());
    info.documents = *known;
  } else {
    while (auto document = source->next_info()) {
      if (info.documents++ == options.document) info.described = std::move(*document);
    }
  }
  // A stream without documents has nothing to describe, and that is what there is to say about it.
  if (options.document >= std::max<std::uint64_t>(info.documents, 1)) {
    fail(ExitStatus::usage, options.input, ": --document ", options.document, ": there are ",
         info.documents);
  }
  const std::string problem = version_problem(info.described.metadata);
  if (!problem.empty()) log_warning(options.input, ": ", problem);
  info.stored_bytes = source->bytes_total();
  find_frames(options, info);
  return info;
}

std::string info_text(const FileInfo& info) {
  std::string text = summary(info);
  if (info.documents > 1) text += "document " + std::to_string(info.document) + ":\n";
  text += tensor_lines(info.described.tensors);
  for (const auto& [key, value] : info.described.metadata) {
    text += "  " + printable(key, 1024) + ": " + printable(value, kLongestValue) + "\n";
  }
  return text;
}

void describe_info(const ResultFields& f, const FileInfo& info) {
  using Json = nlohmann::ordered_json;
  auto tensors = Json::array();
  for (const TensorInfo& tensor : info.described.tensors) {
    tensors.push_back({{"name", tensor.name},
                       {"dtype", dtype_name(tensor.dtype)},
                       {"shape", tensor.shape},
                       {"bytes", size_in_bytes(tensor.dtype, tensor.shape)},
                       {"packed", tensor.packing != Packing::none}});
  }
  f.add("documents", info.documents, "documents of the file");
  f.add("document", info.document, "number of the document that is described");
  f.add("tensors", tensors, "name, dtype, shape, bytes and packed of each tensor");
  f.add("metadata", info.described.metadata, "metadata of the document");
  f.add("frames", info.frames ? Json(*info.frames) : Json(),
        "compressed frames; null if there are none, or in a pipe");
  f.add("seekable", info.seekable, "whether the file has a seek table");
  f.add("stored_bytes", info.stored_bytes != 0 ? Json(info.stored_bytes) : Json(),
        "size of the file; null in a pipe");
}

}  // namespace frugal::tensor_file
