#include <memory>
#include <utility>

#include "libcore/base/array.h"
#include "libcore/tensors/tensor_file.h"

namespace frugal {

ByteFiller bytes_of_rows(RowFiller fill) {
  struct Row {  // of which a part was asked for
    std::string tensor;
    std::uint64_t number = 0;
    Array<std::byte> bytes;
  };
  const auto make = [fill = std::move(fill), row = std::make_shared<Row>()](
                        const TensorInfo& tensor, std::uint64_t offset, std::span<std::byte> to) {
    const std::uint64_t size = (tensor.end - tensor.begin) / num_rows(tensor.shape);
    while (!to.empty()) {
      const std::uint64_t number = offset / size, within = offset % size;
      const std::uint64_t whole = within == 0 ? to.size() / size : 0;
      auto n = static_cast<std::size_t>(whole * size);
      if (whole != 0) {
        fill(tensor, number, number + whole, to.first(n));
      } else {
        if (within == 0 || row->tensor != tensor.name || row->number != number) {
          *row = {tensor.name, number, Array<std::byte>(size, uninitialized)};
          fill(tensor, number, number + 1, {row->bytes.data(), row->bytes.size()});
        }
        n = static_cast<std::size_t>(std::min<std::uint64_t>(size - within, to.size()));
        std::memcpy(to.data(), row->bytes.data() + within, n);
      }
      to = to.subspan(n);
      offset += n;
    }
  };
  return make;
}

}  // namespace frugal
