#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "libcore/io/tensor_file.h"
#include "libcore/io/zstd_frames.h"

namespace frugal {

/// The bytes of tensors one behind the other, made by a RowFiller while they are read.
class RowStream {
 public:
  /// Borrows both.
  RowStream(std::span<const TensorInfo> tensors, const RowFiller& fill)
      : tensors_(tensors), fill_(fill) {}

  /// The next bytes; there are that many left.
  void read(std::span<std::byte> to);

 private:
  std::size_t take_rest(std::span<std::byte> to);
  std::size_t make_rows(std::span<std::byte> to);

  std::span<const TensorInfo> tensors_;  ///< those that are not at their end
  const RowFiller& fill_;
  std::uint64_t row_ = 0;  ///< of tensors_.front(), to be made next
  ByteBuffer rest_;        ///< a row of which a part was read
  std::size_t rest_begin_ = 0;
};

}  // namespace frugal
