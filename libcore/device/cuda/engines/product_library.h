#pragma once
/// Products by NVIDIA's cuBLASLt where the machine has it; it is loaded, never linked.
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
  /// Null where the library is not there or does not start. Environment FRUGAL_CUBLASLT: its file,
  /// which has to work, or "off".
  static std::unique_ptr<ProductLibrary> load(Room& room);
  /// "cuBLASLt 13.1.0"; empty where there is none.
  static std::string name();
  ~ProductLibrary();
  ProductLibrary(const ProductLibrary&) = delete;
  ProductLibrary& operator=(const ProductLibrary&) = delete;

  /// C as kernels/product.h says, for exactly p.m and p.k; but where A is transposed and has a
  /// column of ones, the row of C of these ones is not made, and p.mask is not looked at. A and B
  /// have one type. Rows of half ones have zeros up to a multiple of kMmaAligned numbers, and B of
  /// [k, n] as many rows.
  /// False: the library has no way to make it, and nothing was done.
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
  mutable std::map<Shape, cublaslt::Algorithm> algorithms_;  ///< of shapes that came before
};

}  // namespace frugal::cuda
