#pragma once
/// Products with NVIDIA's cuBLASLt, if the machine has it. The library is loaded, never linked.
#include <array>
#include <map>
#include <memory>
#include <string>

#include "libcore/device/cuda/engines/cublaslt_abi.h"
#include "libcore/device/cuda/engines/engine.h"
#include "libcore/device/cuda/engines/precision.h"
#include "libcore/device/cuda/kernels/product.h"

namespace frugal::cuda {

class ProductLibrary {
 public:
  /// Loads the library. Null if it is missing or does not start. The environment variable
  /// FRUGAL_CUBLASLT names its file, which must then work, or is "off".
  static std::unique_ptr<ProductLibrary> load(Room& room);
  /// Name and version, "cuBLASLt 13.1.0"; empty if there is none.
  static std::string name();
  ~ProductLibrary();
  ProductLibrary(const ProductLibrary&) = delete;
  ProductLibrary& operator=(const ProductLibrary&) = delete;

  /// Computes C as described in kernels/product.h, with exactly p.m rows and p.k terms. Two
  /// differences: p.mask is ignored, and if A is transposed and has a column of ones, the row of C
  /// for these ones is not computed. A and B must have one type. bf16 rows must be padded with
  /// zeros to a multiple of kMmaAligned numbers, and so must the rows of a B [k, n]. Returns false,
  /// and does nothing, if the library cannot compute it.
  bool multiply(const Product& p, bool trans_a, bool trans_b, Products of,
                cudaStream_t stream) const;

 private:
  struct Functions;
  struct Described;
  /// Key of a chosen algorithm: sizes (rows by their size class), strides, types and alignments.
  using Shape = std::array<std::uint64_t, 8>;
  bool run(const Described& described, const Product& p, const cublaslt::Algorithm& algorithm,
           cudaStream_t stream) const;
  ProductLibrary(const Functions& functions, cublaslt::Object handle, Room& room);

  const Functions& functions_;
  cublaslt::Object handle_;
  DeviceArray<char> workspace_;
  mutable std::map<Shape, cublaslt::Algorithm> algorithms_;  ///< chosen algorithms, by shape
};

}  // namespace frugal::cuda
