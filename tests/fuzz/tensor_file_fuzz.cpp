// Feeds bytes to every way of reading a tensor file. The first byte chooses: even, the rest is a
// file as it stands; odd, the rest is plain and is compressed first, so that mutations get past the
// checksums.
#include <zstd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/tensors/tensor_file.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

using namespace frugal;

void check_tensor(const Tensor& tensor) {
  require(tensor.bytes.size() == size_in_bytes(tensor.dtype, tensor.shape),
          "the bytes of a tensor fit its shape");
}

/// Pieces of a tensor, one after the other, are the whole.
void check_pieces(TensorReader& reader, const TensorInfo& info, const Tensor& whole) {
  const std::uint64_t elements = num_elements(info.shape);
  const std::uint64_t step = std::max<std::uint64_t>(8, elements / 24 * 8);  // between bytes
  for (std::uint64_t at = 0; at < elements; at += step) {
    const Tensor piece = reader.read_elements(info.name, at, std::min(elements, at + step));
    check_tensor(piece);
    const std::uint64_t begin = at * item_bits(info.dtype) / 8;
    require(begin + piece.bytes.size() <= whole.bytes.size() &&
                std::equal(piece.bytes.begin(), piece.bytes.end(),
                           whole.bytes.begin() + static_cast<std::ptrdiff_t>(begin)),
            "pieces are the whole");
  }
}

void read_in_order(const std::string& path, const TensorReadOptions& options) {
  TensorReader reader(path, options);
  while (const auto document = reader.next()) {
    for (const Tensor& tensor : document->tensors) check_tensor(tensor);
  }
}

void read_parts(const std::string& path, const TensorReadOptions& options) {
  TensorReader reader(path, options);
  for (int i = 0; i < 20; ++i) {
    const auto info = reader.next_info();
    if (!info) break;
    for (std::size_t t = 0; t < info->tensors.size() && t < 20; ++t) {
      const TensorInfo& tensor = info->tensors[t];
      const std::uint64_t rows = tensor.shape.empty() ? 1 : tensor.shape[0];
      reading(ExitStatus::unavailable,
              [&] { check_tensor(reader.read_rows(tensor.name, rows / 2, rows)); });
      reading(ExitStatus::unavailable,
              [&] { check_tensor(reader.read_rows(tensor.name, 0, rows / 3)); });
      reading(ExitStatus::unavailable,
              [&] { check_pieces(reader, tensor, reader.read_rows(tensor.name, 0, rows)); });
    }
  }
  const auto count = reader.num_documents();
  if (!count) return;
  for (std::uint64_t i = 0; i < *count && i < 20; ++i) {
    reader.seek_document(*count - 1 - i);
    reading(ExitStatus::unavailable, [&] { reader.next(); });
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const FuzzInput input(data, size, 1);
  if ((input.choice(0) & 1) != 0) {
    const std::string_view plain = input.text();
    std::vector<char> frame(ZSTD_compressBound(plain.size()));
    const std::size_t length =
        ZSTD_compress(frame.data(), frame.size(), plain.data(), plain.size(), 1);
    FuzzInput::file().set(frame.data(), length);
  }
  TensorReadOptions options;
  options.limits.max_memory = std::uint64_t{16} << 20;
  reading(ExitStatus::unavailable, [&] { read_in_order(input.path(), options); });
  reading(ExitStatus::unavailable, [&] { read_parts(input.path(), options); });
  options.allow_truncated = true;
  reading(ExitStatus::unavailable, [&] { read_in_order(input.path(), options); });
  return 0;
}
