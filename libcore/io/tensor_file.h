#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libcore/io/tensor.h"

namespace frugal {

/// The exchange format, tensor-file(5): safetensors documents inside zstd's seekable format.

using Metadata = std::map<std::string, std::string>;  ///< sorted: identical input, identical bytes

struct Document {
  Metadata metadata;
  std::vector<Tensor> tensors;

  /// The tensor of that name, or nullptr.
  const Tensor* find(std::string_view name) const;
  /// Fails (bad_input) naming the tensors there are.
  const Tensor& at(std::string_view name) const;
};

/// Limits against hostile input (tensor-file(5)); exceeding one is bad_input with the limit's name.
struct TensorLimits {
  std::uint64_t max_header = std::uint64_t{8} << 20;
  std::uint64_t max_tensors = 65536;
  std::uint64_t max_rank = 8;
  std::uint64_t max_name = 1024;
  std::uint64_t max_metadata = std::uint64_t{1} << 20;
  std::uint64_t max_memory = 0;  ///< bytes of tensors at a time; 0 = 80 % of what machine and cgroup have left
};

struct TensorWriteOptions {
  std::optional<int> level;                        ///< -7..19; default 1 for files, -5 for pipes
  std::uint64_t frame_size = std::uint64_t{256} << 10;  ///< plain bytes a frame, 64 KiB..16 MiB
  bool pack = false;                               ///< byte planes and differences as frugal.enc says
  bool if_changed = false;
  int threads = 0;                                 ///< 0 = num_threads()
};

/// Writes one document (*.safetensors.zst, or raw *.safetensors by suffix) or a stream (*.tzs, "-").
/// Nothing appears at the path before finish(), except on pipes.
class TensorWriter {
 public:
  explicit TensorWriter(const std::string& path, const TensorWriteOptions& options = {});
  ~TensorWriter();
  TensorWriter(const TensorWriter&) = delete;
  TensorWriter& operator=(const TensorWriter&) = delete;

  /// Appends a document. Tensors are stored by item size descending, then name.
  void write(const Document& document);
  /// End document (streams), seek table, sync, rename. Call once, last.
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// What a document holds, without its data.
struct TensorInfo {
  std::string name;
  Dtype dtype = Dtype::f32;
  Shape shape;
  std::uint64_t begin = 0;  ///< plain bytes from the start of the document's data
  std::uint64_t end = 0;
};
struct DocumentInfo {
  Metadata metadata;
  std::vector<TensorInfo> tensors;
};

struct TensorReadOptions {
  TensorLimits limits;
  bool allow_truncated = false;  ///< a stream without an end document is accepted
  int threads = 0;               ///< 0 = num_threads()
};

/// Reads documents one after another from a path or "-"; zstd or raw safetensors by magic. Every error is
/// bad_input (65) with the path, the place and what was expected; a missing file is cannot_open (66).
class TensorReader {
 public:
  explicit TensorReader(const std::string& path, const TensorReadOptions& options = {});
  ~TensorReader();
  TensorReader(const TensorReader&) = delete;
  TensorReader& operator=(const TensorReader&) = delete;

  /// The next document with its tensors unpacked, or nothing at a proper end. End documents inside a
  /// concatenation are passed over.
  std::optional<Document> next();
  /// The next document's header; follow with read_rows(), or next_info() to skip its data.
  std::optional<DocumentInfo> next_info();
  /// Rows [begin, end) of a tensor of the document that next_info() gave; with a seek table only the
  /// frames that hold them are read.
  Tensor read_rows(std::string_view name, std::uint64_t begin, std::uint64_t end);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Whole one-document files.
Document read_document(const std::string& path, const TensorReadOptions& options = {});
void write_document(const std::string& path, const Document& document,
                    const TensorWriteOptions& options = {});

}  // namespace frugal
