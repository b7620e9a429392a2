#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "libcore/tensors/tensor_file.h"

namespace frugal {

/// Formats of tensors: tensor files, and those of NumPy.
enum class FileFormat { tensors, npy, npz };
/// Format of an output by the suffix of its path; "-" and every other name are tensor files.
FileFormat format_of(std::string_view path);
/// Format of an input by its first bytes, however it is called. A pipe, which cannot be read twice,
/// and a file that begins in another way have the format of their suffix.
FileFormat input_format(const std::string& path);

/// Documents of an input of any format. Errors are those of TensorReader and NpzReader.
class DocumentSource {
 public:
  virtual ~DocumentSource() = default;
  virtual std::optional<DocumentInfo> next_info() = 0;
  /// The next document, or nothing: see TensorReader.
  std::optional<Document> next() { return next_info() ? read() : std::nullopt; }
  /// Reads the document that next_info() gave: all of it, rows, or elements in C order.
  virtual std::optional<Document> read() = 0;
  virtual Tensor read_rows(std::string_view name, std::uint64_t begin, std::uint64_t end) = 0;
  virtual Tensor read_elements(std::string_view name, std::uint64_t begin, std::uint64_t end) = 0;
  /// Whether random reads of elements cost about as much as reads in the order of the data.
  virtual bool reads_anywhere() { return true; }
  /// Makes document `number`, from 0, the next one; call it before anything else. Fails (usage) if
  /// there are fewer.
  virtual void seek(std::uint64_t number) = 0;
  virtual std::optional<std::uint64_t> num_documents() { return std::nullopt; }
  /// True at the end of a file that lacks its seek table: see TensorReader::lacks_seek_table().
  virtual bool lacks_seek_table() const { return false; }
  /// Bytes read so far, and of the file; 0 if unknown.
  virtual std::uint64_t bytes_read() const { return 0; }
  virtual std::uint64_t bytes_total() const { return 0; }
};

std::unique_ptr<DocumentSource> open_documents(const std::string& path,
                                               const TensorReadOptions& options);

/// Calls body with the elements of rows [begin, end), in pieces of rank 1 and a few megabytes, so
/// that memory does not grow with the tensor. Does nothing for a tensor without elements.
void for_each_piece(DocumentSource& source, const TensorInfo& tensor, std::uint64_t begin,
                    std::uint64_t end, const std::function<void(const Tensor& piece)>& body);

/// Receives the number of bytes read so far.
using ProgressFunction = std::function<void(double done)>;

}  // namespace frugal
