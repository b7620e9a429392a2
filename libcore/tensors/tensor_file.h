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
  /// The tensor of that name. Fails (bad_input) and lists the existing tensors if there is none.
  const Tensor& at(std::string_view name) const;
  Tensor& at(std::string_view name) { return const_cast<Tensor&>(std::as_const(*this).at(name)); }

  /// A copy that owns all its tensors.
  Document clone() const;
  /// Names, types and shapes.
  DocumentInfo describe() const;
};

/// A reader of a document copies its elements, or keeps views of them, which the document must
/// outlive. Views start a program at once, and only what is used is read.
enum class Elements { copied, lent };

/// Limits against hostile input (tensor-file(5)); exceeding one is bad_input with the limit's name,
/// exceeding max_memory is unavailable (69).
struct TensorLimits {
  std::uint64_t max_header = std::uint64_t{8} << 20;
  std::uint64_t max_tensors = 65536;
  std::uint64_t max_rank = 8;
  std::uint64_t max_name = 1024;
  std::uint64_t max_metadata = std::uint64_t{1} << 20;
  /// Bytes of tensors in memory at a time; 0 = 80 % of the memory that machine and cgroup have
  /// left.
  std::uint64_t max_memory = 0;
};

struct TensorWriteOptions {
  static constexpr int kPlain = -100;  ///< no compression: plain documents without zstd frames
  /// Compression level -7..19, or kPlain. Default 1 for files, pipe_level for pipes; *.safetensors
  /// is always plain.
  std::optional<int> level;
  int pipe_level = -5;
  std::uint64_t frame_size = std::uint64_t{256} << 10;  ///< plain bytes of a frame, 64 KiB..16 MiB
  bool pack = false;    ///< pack tensors as byte planes and differences (frugal.enc)
  int threads = 0;      ///< 1 = only the caller's, else num_threads()
  TensorLimits limits;  ///< limits of the readers that the file is meant for
};

/// How a tensor is stored (frugal.enc): unchanged, as byte planes, or as byte planes of first
/// differences.
enum class Packing : std::uint8_t { none, planes, delta_planes };

/// Name, type, shape and place of a tensor, without its data. A packed tensor has the type and
/// shape that it unpacks to.
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

/// Fills `to` with the bytes of a tensor from `offset` on. Calls come one after another, possibly
/// on different threads; each continues where the last ended, or begins a tensor.
using ByteFiller =
    std::function<void(const TensorInfo& tensor, std::uint64_t offset, std::span<std::byte> to)>;
/// Fills `to` with rows [begin, end) along the first axis of a tensor.
using RowFiller = std::function<void(const TensorInfo& tensor, std::uint64_t begin,
                                     std::uint64_t end, std::span<std::byte> to)>;
/// Adapts a RowFiller; each row is made once. `fill` is copied.
ByteFiller bytes_of_rows(RowFiller fill);

/// Writes tensor files. The name *.safetensors.zst or *.safetensors (uncompressed) means one
/// document; any other name and "-" mean a stream of documents. Nothing appears at the path before
/// finish(), except in pipes. Adds frugal.version, frugal.kind "tensors" if there is none, and in
/// streams frugal.seq, the document's number. The same input gives the same bytes, whatever the
/// number of threads. Errors: bad_input (65) for content that the format cannot hold, and those of
/// OutputFile.
class TensorWriter {
 public:
  explicit TensorWriter(const std::string& path, const TensorWriteOptions& options = {});
  ~TensorWriter();
  TensorWriter(const TensorWriter&) = delete;
  TensorWriter& operator=(const TensorWriter&) = delete;

  /// Appends a document. Tensors are stored by item size descending, then name.
  void write(const Document& document);
  /// Appends a document of tensors that need not fit into memory; the bytes are as if they did.
  /// `info` has metadata, names, types and shapes. `fill` makes the data in their order, piece by
  /// piece. Fails (usage) with options.pack.
  void write(const DocumentInfo& info, const ByteFiller& fill);
  void write(const DocumentInfo& info, RowFiller fill) {
    write(info, bytes_of_rows(std::move(fill)));
  }
  /// Writes the end document (streams) and the seek table, syncs and renames. Call it once, last.
  void finish();
  /// True for pipes and devices (OutputFile::is_stream()).
  bool is_stream() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Destinations of large tensors, by name.
using TensorPlaces = std::map<std::string, std::span<std::byte>>;

struct TensorReadOptions {
  TensorLimits limits;
  /// Reads unpacked tensors of these names and sizes to these places; the document borrows them.
  /// Not for BOOL.
  TensorPlaces places;
  bool allow_truncated = false;  ///< accept a stream without an end document
  int threads = 0;               ///< 1 = only the caller's, else num_threads()
};

/// Reads documents one after another from a path or "-": zstd or plain safetensors, by their magic.
/// Every error is bad_input (65) with the path, the place and what was expected; a missing file is
/// cannot_open (66).
class TensorReader {
 public:
  explicit TensorReader(const std::string& path, const TensorReadOptions& options = {});
  ~TensorReader();
  TensorReader(const TensorReader&) = delete;
  TensorReader& operator=(const TensorReader&) = delete;

  /// Reads the next document and unpacks its tensors; nothing at a proper end. Skips end documents
  /// inside a concatenation.
  std::optional<Document> next();
  /// Reads the next document's header. Call read() or read_rows() for its data; next_info() skips
  /// it.
  std::optional<DocumentInfo> next_info();
  /// Reads the whole document of the last next_info(). Nothing if it is truncated and
  /// allow_truncated is set.
  std::optional<Document> read();
  /// Reads rows [begin, end) along the first axis of a tensor of the current document; rank 0 has
  /// one row. In a regular file it decompresses only the frames with these rows. In a pipe, rows
  /// must be read in the order of the data. Tensors packed with differences are read from their
  /// beginning, or from where the last read ended.
  Tensor read_rows(std::string_view name, std::uint64_t begin, std::uint64_t end);
  /// Reads elements [begin, end) in C order, as a tensor of rank 1. For types of fewer than 8 bits,
  /// `begin` and `end` must be at byte boundaries, as multiples of 8 are.
  Tensor read_elements(std::string_view name, std::uint64_t begin, std::uint64_t end);

  /// Whether random reads cost about as much as sequential ones: true for regular files that are
  /// uncompressed or have small frames.
  bool reads_anywhere();

  /// Number of documents of a regular file whose end document lists them; nothing for pipes,
  /// concatenations and files of one document.
  std::optional<std::uint64_t> num_documents();
  /// Makes document number `document`, from 0, the next one; it must be below num_documents().
  void seek_document(std::uint64_t document);

  /// True at the end of a regular file that lacks the seek table which a TensorWriter appends. All
  /// documents are there, but the file was cut exactly before the table, or another program
  /// recompressed it.
  bool lacks_seek_table() const;

  /// Bytes read so far, and the size of the input as stored, 0 if unknown: for progress bars.
  std::uint64_t bytes_read() const;
  std::uint64_t bytes_total() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Reads or writes an input of exactly one document, in a file or a stream.
Document read_document(const std::string& path, const TensorReadOptions& options = {});
void write_document(const std::string& path, const Document& document,
                    const TensorWriteOptions& options = {});

}  // namespace frugal
