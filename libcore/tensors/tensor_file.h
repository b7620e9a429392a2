#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "libcore/tensors/tensor.h"

namespace frugal {

/// The exchange format, tensor-file(5): safetensors documents inside zstd's seekable format.

using Metadata = std::map<std::string, std::string>;  ///< sorted: identical input, identical bytes

/// Appends a JSON object (one tool's argv, version, time) to the array in
/// metadata["frugal.history"].
void append_history(Metadata& metadata, const std::string& entry_json);

struct DocumentInfo;

struct Document {
  Metadata metadata;
  std::vector<Tensor> tensors;

  /// The tensor of that name, or nullptr.
  const Tensor* find(std::string_view name) const;
  /// Fails (bad_input) naming the tensors there are.
  const Tensor& at(std::string_view name) const;
  Tensor& at(std::string_view name) { return const_cast<Tensor&>(std::as_const(*this).at(name)); }

  /// A copy that owns all its tensors.
  Document clone() const;
  /// Names, types and shapes.
  DocumentInfo describe() const;
};

/// Limits against hostile input (tensor-file(5)); exceeding one is bad_input with the limit's name,
/// exceeding max_memory is unavailable (69).
struct TensorLimits {
  std::uint64_t max_header = std::uint64_t{8} << 20;
  std::uint64_t max_tensors = 65536;
  std::uint64_t max_rank = 8;
  std::uint64_t max_name = 1024;
  std::uint64_t max_metadata = std::uint64_t{1} << 20;
  /// Bytes of tensors at a time; 0 = 80 % of what machine and cgroup have left.
  std::uint64_t max_memory = 0;
};

struct TensorWriteOptions {
  static constexpr int kPlain = -100;  ///< no compression: plain documents, without zstd frames
  /// -7..19, or kPlain. Default 1 for files, pipe_level for pipes; *.safetensors is always plain.
  std::optional<int> level;
  int pipe_level = -5;
  std::uint64_t frame_size = std::uint64_t{256} << 10;  ///< plain bytes a frame, 64 KiB..16 MiB
  bool pack = false;        ///< byte planes and differences as frugal.enc says
  bool if_changed = false;  ///< leave an existing file untouched that has equal content but for
                            ///< times in the history, and equal bytes where level is given
  int threads = 0;          ///< 1 = the caller's alone, else num_threads()
  TensorLimits limits;      ///< of the readers that the file is for
};

/// How a tensor is stored (frugal.enc): as it is, as byte planes, or as byte planes of first
/// differences.
enum class Packing : std::uint8_t { none, planes, delta_planes };

/// What a document holds, without its data. Packed tensors appear as what they unpack to.
struct TensorInfo {
  std::string name;
  Dtype dtype = Dtype::f32;
  Shape shape;
  std::uint64_t begin = 0;  ///< plain bytes from the start of the document's data
  std::uint64_t end = 0;
  Packing packing = Packing::none;
};
struct DocumentInfo {
  Metadata metadata;
  std::vector<TensorInfo> tensors;  ///< in the order of their data

  /// The tensor of that name, or nullptr.
  const TensorInfo* find(std::string_view name) const;
};

/// Makes the bytes of a tensor from `offset` on, as many as `to` has. One call follows the other,
/// if need be on other threads, and goes on where it ended, or begins a tensor.
using ByteFiller =
    std::function<void(const TensorInfo& tensor, std::uint64_t offset, std::span<std::byte> to)>;
/// Makes rows [begin, end) along the first axis of a tensor; `to` has their size.
using RowFiller = std::function<void(const TensorInfo& tensor, std::uint64_t begin,
                                     std::uint64_t end, std::span<std::byte> to)>;
/// The bytes of rows, each of which is made once; `fill` is copied.
ByteFiller bytes_of_rows(RowFiller fill);

/// Writes one document (*.safetensors.zst, *.safetensors; the latter uncompressed) or, under every
/// other name and to "-", a stream of documents. Nothing appears at the path before finish(),
/// except on pipes. Adds frugal.version, and frugal.kind "tensors" where there is none; in streams
/// frugal.seq, the number of the document (absent from one-document files). Same input, same bytes,
/// whatever the number of threads. Errors: bad_input (65) for what the format cannot hold, and
/// those of OutputFile.
class TensorWriter {
 public:
  explicit TensorWriter(const std::string& path, const TensorWriteOptions& options = {});
  ~TensorWriter();
  TensorWriter(const TensorWriter&) = delete;
  TensorWriter& operator=(const TensorWriter&) = delete;

  /// Appends a document. Tensors are stored by item size descending, then name.
  void write(const Document& document);
  /// The same bytes, of tensors that need not fit into memory: `info` has metadata, names, types
  /// and shapes; `fill` makes the data in their order, some at a time. Not with options.pack
  /// (usage).
  void write(const DocumentInfo& info, const ByteFiller& fill);
  void write(const DocumentInfo& info, RowFiller fill) {
    write(info, bytes_of_rows(std::move(fill)));
  }
  /// End document (streams), seek table, sync, rename. Call once, last.
  void finish();
  /// True for pipes and devices, as OutputFile's.
  bool is_stream() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Where large tensors go, by name.
using TensorPlaces = std::map<std::string, std::span<std::byte>>;

struct TensorReadOptions {
  TensorLimits limits;
  /// Unpacked tensors of these names and sizes are read to there and lent by the document. Not
  /// BOOL.
  TensorPlaces places;
  bool allow_truncated = false;  ///< a stream without an end document is accepted
  int threads = 0;               ///< 1 = the caller's alone, else num_threads()
};

/// Reads documents one after another from a path or "-"; zstd or raw safetensors by magic. Every
/// error is bad_input (65) with the path, the place and what was expected; a missing file is
/// cannot_open (66).
class TensorReader {
 public:
  explicit TensorReader(const std::string& path, const TensorReadOptions& options = {});
  ~TensorReader();
  TensorReader(const TensorReader&) = delete;
  TensorReader& operator=(const TensorReader&) = delete;

  /// The next document with its tensors unpacked, or nothing at a proper end. End documents inside
  /// a concatenation are passed over.
  std::optional<Document> next();
  /// The next document's header; follow with read(), read_rows(), or next_info() to skip its data.
  std::optional<DocumentInfo> next_info();
  /// The whole document that next_info() gave; nothing where it is truncated and that is allowed.
  std::optional<Document> read();
  /// Rows [begin, end) along the first axis of a tensor of the document that next_info() gave; rank
  /// 0 has one row. In a regular file only the frames that hold them are decompressed; in a pipe
  /// rows must be asked for in the order of the data. Tensors packed with differences are read from
  /// their beginning, or from where they were read last.
  Tensor read_rows(std::string_view name, std::uint64_t begin, std::uint64_t end);
  /// Reads elements [begin, end) in C order, as a tensor of rank 1. For types of less than a
  /// byte, multiples of 8 and the end lie between bytes.
  Tensor read_elements(std::string_view name, std::uint64_t begin, std::uint64_t end);

  /// Whether elements in any order cost about what they cost in the order of the data: in regular
  /// files that are not compressed, or in small frames.
  bool reads_anywhere();

  /// Documents of a regular file whose end document lists them; nothing for pipes, concatenations
  /// and one-document files.
  std::optional<std::uint64_t> num_documents();
  /// Makes document number `document`, from 0, the next one; it must be below num_documents().
  void seek_document(std::uint64_t document);

  /// After the end: true if the seek table is missing that a TensorWriter left behind the last
  /// document of a regular file. Everything is there, but the file was cut at this very place, or
  /// compressed anew by another program.
  bool lacks_seek_table() const;

  /// Bytes read so far and size of the input as stored, 0 when unknown: for progress.
  std::uint64_t bytes_read() const;
  std::uint64_t bytes_total() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Whole inputs that hold exactly one document, in a file or a stream.
Document read_document(const std::string& path, const TensorReadOptions& options = {});
void write_document(const std::string& path, const Document& document,
                    const TensorWriteOptions& options = {});

}  // namespace frugal
