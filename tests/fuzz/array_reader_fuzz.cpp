// Feeds bytes to the readers of numpy's files. The first byte chooses: even, an archive; odd, one
// array, but for each second odd one, a pickle of arrays.
#include "libcore/arrays/npy.h"
#include "libcore/arrays/pickled_arrays.h"
#include "libcore/base/error.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

using namespace frugal;

void check_tensor(const Tensor& tensor) {
  require(tensor.bytes.size() == num_elements(tensor.shape) * item_size(tensor.dtype),
          "the bytes of an array fit its shape");
}

void read_archive(const std::string& path, const TensorLimits& limits) {
  NpzReader reader(path, limits);
  for (const std::string& name : reader.names()) {
    require(reader.has(name), "an archive has what it names");
    reading(ExitStatus::unavailable, [&] { check_tensor(reader.read(name)); });
    reading(ExitStatus::unavailable, [&] {
      const TensorInfo info = reader.info(name);
      if (info.shape.empty()) return;
      check_tensor(reader.read_rows(name, info.shape[0] / 2, info.shape[0]));
      check_tensor(reader.read_rows(name, 0, info.shape[0] / 3));
    });
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const FuzzInput input(data, size, 1);
  TensorLimits limits;
  limits.max_memory = std::uint64_t{16} << 20;
  reading(ExitStatus::unavailable, [&] {
    if (input.choice(0) % 4 == 3) {
      return read_pickled_arrays(input.path(), [&](auto, auto values) {
        require(values.size() <= size, "arrays are of the bytes of the file");
      });
    }
    if (input.choice(0) % 2 == 1) return check_tensor(read_npy(input.path(), limits));
    read_archive(input.path(), limits);
  });
  return 0;
}
