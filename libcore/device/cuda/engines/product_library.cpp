#include "libcore/device/cuda/engines/product_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <vector>

#include "libcore/device/size_class.h"
#include "libcore/system/trusted_code.h"

namespace frugal::cuda {

using namespace cublaslt;

/// The library's entries.
struct ProductLibrary::Functions {
  Create create, create_preference;
  Destroy destroy, destroy_descriptor, destroy_layout, destroy_preference;
  GetVersion version;
  CreateDescriptor create_descriptor;
  CreateLayout create_layout;
  SetAttribute set_descriptor, set_preference;
  Choose choose;
  Multiply multiply;

  /// The library's, which is loaded once and stays; null: not there, or switched off.
  static const Functions* find();
  bool take_from(void* library);
  bool works() const;
};

namespace {

/// Bytes of workspace, as NVIDIA recommends for its newest GPUs.
constexpr std::size_t kWorkspace = std::size_t{32} << 20;

/// Value of FRUGAL_CUBLASLT, or empty.
std::string named_library() {
  const char* named = secure_getenv("FRUGAL_CUBLASLT");
  return named == nullptr ? "" : named;
}

/// Why the file that the user named must not be loaded; "" if it may be. A bare name is searched in
/// the loader's own folders.
std::string reason_against_named() {
  const std::string named = named_library();
  return named.find('/') == std::string::npos ? "" : reason_not_to_load(named);
}

/// Files to try, newest version first; none if the library is switched off or must not be loaded.
std::vector<std::string> library_files() {
  const std::string named = named_library();
  if (named == "off") return {};
  if (!named.empty() && !reason_against_named().empty()) return {};
  if (!named.empty()) return {named};
#ifdef __CUDACC__
  return {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11"};
#else
  return {};  // this CPU is no device of that library
#endif
}

/// An object of the library, destroyed with its scope.
class Held {
 public:
  explicit Held(Destroy destroy) : destroy_(destroy) {}
  ~Held() {
    if (object_ != nullptr) destroy_(object_);
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  Object* place() { return &object_; }
  operator Object() const { return object_; }  // NOLINT(google-explicit-constructor)

 private:
  Object object_ = nullptr;
  Destroy destroy_;
};

/// The largest power of two up to 256 that divides an address.
std::uint32_t alignment_of(const void* address) {
  std::uint32_t alignment = 256;
  while (reinterpret_cast<std::uintptr_t>(address) % alignment != 0) alignment /= 2;
  return alignment;
}

/// Transpositions, number type, sizes and bias of a product C [m, n] = op(A) op(B).
struct Form {
  bool trans_a, trans_b;
  Products of;
  std::uint32_t m = 0, k = 0;
  const void* bias = nullptr;

  int epilogue(const Product& p) const {
    const int wanted = (p.relu ? kEpilogueRelu : 0) + (bias != nullptr ? kEpilogueBias : 0);
    return wanted == 0 ? kEpilogueNone : wanted;
  }
};

int type_of(bool half) { return half ? kHalf : kFloat; }

/// Steps of the size classes of rows for each of which an algorithm is chosen.
constexpr std::uint64_t kClassSteps = 4;

}  // namespace

bool ProductLibrary::Functions::take_from(void* library) {
  bool whole = true;
  const auto entry = [&](auto& to, const char* name) {
    to = reinterpret_cast<std::decay_t<decltype(to)>>(dlsym(library, name));
    whole = whole && to != nullptr;
  };
  entry(create, "cublasLtCreate");
  entry(destroy, "cublasLtDestroy");
  entry(version, "cublasLtGetVersion");
  entry(create_descriptor, "cublasLtMatmulDescCreate");
  entry(destroy_descriptor, "cublasLtMatmulDescDestroy");
  entry(set_descriptor, "cublasLtMatmulDescSetAttribute");
  entry(create_layout, "cublasLtMatrixLayoutCreate");
  entry(destroy_layout, "cublasLtMatrixLayoutDestroy");
  entry(create_preference, "cublasLtMatmulPreferenceCreate");
  entry(destroy_preference, "cublasLtMatmulPreferenceDestroy");
  entry(set_preference, "cublasLtMatmulPreferenceSetAttribute");
  entry(choose, "cublasLtMatmulAlgoGetHeuristic");
  entry(multiply, "cublasLtMatmul");
  return whole;
}

/// Whether a handle can be created; not if the driver is too old for the library.
bool ProductLibrary::Functions::works() const {
  Object handle = nullptr;
  if (create(&handle) != kSuccess) return false;
  destroy(handle);
  return true;
}

const ProductLibrary::Functions* ProductLibrary::Functions::find() {
  static Functions found{};
  static bool is_there = false;
  const std::vector<std::string> files = library_files();
  if (files.empty()) return nullptr;
  for (const std::string& file : files) {
    if (is_there) break;
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) continue;
    is_there = found.take_from(library) && found.works();
    if (!is_there) dlclose(library);
  }
  return is_there ? &found : nullptr;
}

std::unique_ptr<ProductLibrary> ProductLibrary::load(Room& room) {
  const Functions* functions = Functions::find();
  Object handle = nullptr;
  const std::string against = reason_against_named();
  if (!against.empty()) {
    throw Failure(FRUGAL_UNSUPPORTED, "FRUGAL_CUBLASLT=" + named_library() + " " + against);
  }
  if (functions == nullptr && !library_files().empty() && !named_library().empty()) {
    throw Failure(FRUGAL_UNSUPPORTED,
                  "FRUGAL_CUBLASLT=" + named_library() + " is no cuBLASLt that works here");
  }
  if (functions == nullptr || functions->create(&handle) != kSuccess) return nullptr;
  return std::unique_ptr<ProductLibrary>(new ProductLibrary(*functions, handle, room));
}

ProductLibrary::ProductLibrary(const Functions& functions, Object handle, Room& room)
    : functions_(functions), handle_(handle), workspace_(room.take<char>(kWorkspace)) {}

ProductLibrary::~ProductLibrary() { functions_.destroy(handle_); }

/// A product in the library's words: our rows are its columns, so it makes C^T = op(B)^T op(A)^T.
struct ProductLibrary::Described {
  Described(const Functions& functions, const Product& p, const Form& form)
      : f(functions),
        descriptor(f.destroy_descriptor),
        preference(f.destroy_preference),
        a(f.destroy_layout),
        b(f.destroy_layout),
        c(f.destroy_layout) {
    done = describe(p, form) && lay_out(p, form) && prefer(p, form);
  }

  bool describe(const Product& p, const Form& form) {
    // Numbers that are bf16 already are multiplied as they are.
    const int compute = form.of == Products::bf16 && !p.a.half ? kComputeBf16 : kComputeF32;
    const auto set = [&](int attribute, const auto& value) {
      return f.set_descriptor(descriptor, attribute, &value, sizeof value) == kSuccess;
    };
    return f.create_descriptor(descriptor.place(), compute, kFloat) == kSuccess &&
           set(kDescriptorTransA, form.trans_b ? kTransposed : 0) &&
           set(kDescriptorTransB, form.trans_a ? kTransposed : 0) &&
           set(kDescriptorEpilogue, form.epilogue(p)) &&
           (form.bias == nullptr || set(kDescriptorBias, form.bias));
  }

  bool lay_out(const Product& p, const Form& form) {
    const auto matrix = [&](Held& to, bool half, std::uint32_t rows, std::uint32_t columns,
                            bool transposed, std::uint32_t stride) {
      if (transposed) std::swap(rows, columns);
      return f.create_layout(to.place(), type_of(half), rows, columns, stride) == kSuccess;
    };
    return matrix(b, p.b.half, p.n, form.k, form.trans_b, p.b.stride) &&
           matrix(a, p.a.half, form.k, form.m, form.trans_a, p.a.stride) &&
           matrix(c, p.half, p.n, form.m, false, p.c_stride);
  }

  bool prefer(const Product& p, const Form& form) {
    const auto set = [&](int attribute, const auto& value) {
      return f.set_preference(preference, attribute, &value, sizeof value) == kSuccess;
    };
    // Kernels read the bias as wide as they write D.
    return f.create_preference(preference.place()) == kSuccess &&
           set(kPreferWorkspace, std::uint64_t{kWorkspace}) &&
           set(kPreferAlignmentA, alignment_b = alignment_of(p.b.data)) &&
           set(kPreferAlignmentB, alignment_a = alignment_of(p.a.data)) &&
           set(kPreferAlignmentC, alignment_of(p.c)) &&
           set(kPreferAlignmentD,
               alignment_c = std::min(alignment_of(p.c), alignment_of(form.bias)));
  }

  const Functions& f;
  Held descriptor, preference, a, b, c;
  std::uint32_t alignment_a = 0, alignment_b = 0, alignment_c = 0;
  bool done = false;
};

bool ProductLibrary::multiply(const Product& p, bool trans_a, bool trans_b, Products of,
                              cudaStream_t stream) const {
  if ((p.a.ones && trans_b) || p.a.half != p.b.half) return false;  // the bias would be a column
  Form form{trans_a, trans_b, of};
  form.m = trans_a ? p.a.columns : p.m;
  form.k = trans_a ? p.k : p.a.columns;
  if (form.m == 0 || form.k == 0 || p.n == 0) return false;
  if (p.a.ones && !trans_a) {
    const std::size_t last = std::size_t{form.k} * p.b.stride * (p.b.half ? 2 : sizeof(float));
    form.bias = static_cast<const char*>(p.b.data) + last;
    if (p.b.half && !p.half) form.bias = p.bias;  // of the type of C
  }
  // Tensor cores take whole vectors of numbers.
  if (p.a.half && !trans_a) form.k = (form.k + kMmaAligned - 1) / kMmaAligned * kMmaAligned;
  const Described d(functions_, p, form);
  if (!d.done) return false;
  const std::uint64_t alignments =
      d.alignment_a | std::uint64_t{d.alignment_b} << 16 | std::uint64_t{d.alignment_c} << 32;
  const std::uint64_t flags = trans_a + 2 * trans_b + 4 * p.a.half + 8 * p.half +
                              16 * (of == Products::bf16) + 32 * (p.beta != 0);
  const Shape shape{size_class(form.m, kClassSteps),
                    p.n,
                    size_class(form.k, kClassSteps),
                    std::uint64_t{p.a.stride} << 32 | p.b.stride,
                    p.c_stride,
                    alignments,
                    flags,
                    static_cast<std::uint64_t>(form.epilogue(p))};
  const auto known = algorithms_.find(shape);
  if (known != algorithms_.end() && run(d, p, known->second, stream)) return true;
  Choice choice{};
  int choices = 0;
  if (functions_.choose(handle_, d.descriptor, d.b, d.a, d.c, d.c, d.preference, 1, &choice,
                        &choices) != kSuccess ||
      choices == 0 || choice.status != kSuccess || !run(d, p, choice.algorithm, stream)) {
    return false;
  }
  algorithms_[shape] = choice.algorithm;
  return true;
}

/// Runs a product. False, with nothing done, if the algorithm does not fit the shape.
bool ProductLibrary::run(const Described& d, const Product& p, const Algorithm& algorithm,
                         cudaStream_t stream) const {
  const float alpha = 1;
  const int status =
      functions_.multiply(handle_, d.descriptor, &alpha, p.b.data, d.b, p.a.data, d.a, &p.beta, p.c,
                          d.c, p.c, d.c, &algorithm, workspace_.data(), workspace_.bytes(), stream);
  if (status == kSuccess || status == kInvalidValue || status == kNotSupported) {
    return status == kSuccess;
  }
  throw Failure(status == kExecutionFailed ? FRUGAL_LOST : FRUGAL_FAILED,
                "cublasLtMatmul: status " + std::to_string(status));
}

std::string ProductLibrary::name() {
  const Functions* functions = Functions::find();
  if (functions == nullptr) return "";
  const std::size_t version = functions->version();
  return "cuBLASLt " + std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) +
         "." + std::to_string(version % 100);
}

}  // namespace frugal::cuda
