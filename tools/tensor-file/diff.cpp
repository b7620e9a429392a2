#include "tools/tensor-file/diff.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>

#include "libcore/arrays/document_source.h"
#include "libcore/base/text.h"
#include "libcore/tensors/document_gate.h"
#include "tools/tensor-file/element.h"

namespace frugal::tensor_file {
namespace {

constexpr std::size_t kMostReported = 100;
constexpr std::string_view kHistory = "frugal.history";

class Diff {
 public:
  explicit Diff(const DiffOptions& options)
      : options_(options),
        a_(open_documents(options.a, options.read)),
        b_(open_documents(options.b, options.read)),
        by_b_(a_->reads_anywhere() && !b_->reads_anywhere()) {}

  DiffResult run() {
    for (;; ++result_.documents) {
      const auto a = a_->next_info();
      const auto b = b_->next_info();
      if (!a && !b) return std::move(result_);
      if (!a || !b) {
        report("", "there are more documents in " + (a ? options_.a : options_.b));
        return std::move(result_);
      }
      check_version(a->metadata, options_.a);
      check_version(b->metadata, options_.b);
      compare_documents(*a, *b);
    }
  }

 private:
  void compare_documents(const DocumentInfo& a, const DocumentInfo& b) {
    if (options_.metadata) compare_metadata(a.metadata, b.metadata);
    if (names_matter(a, b)) {
      compare_by_name(a, b);
    } else {
      compare_tensors(a.tensors.front(), b.tensors.front());
    }
  }

  /// The array of a .npy file has no name: it is compared with the only tensor of the other file.
  bool names_matter(const DocumentInfo& a, const DocumentInfo& b) const {
    const bool unnamed =
        input_format(options_.a) == FileFormat::npy || input_format(options_.b) == FileFormat::npy;
    return !unnamed || a.tensors.size() != 1 || b.tensors.size() != 1;
  }

  /// In the order of the first file, or of a second one that passes by in a pipe.
  void compare_by_name(const DocumentInfo& a, const DocumentInfo& b) {
    const DocumentInfo& first = by_b_ ? b : a;
    const DocumentInfo& second = by_b_ ? a : b;
    std::unordered_map<std::string_view, const TensorInfo*> others;
    for (const TensorInfo& tensor : second.tensors) others[tensor.name] = &tensor;
    for (const TensorInfo& tensor : first.tensors) {
      const auto other = others.find(tensor.name);
      if (other == others.end()) {
        report(tensor.name, "only in " + (by_b_ ? options_.b : options_.a));
        continue;
      }
      by_b_ ? compare_tensors(*other->second, tensor) : compare_tensors(tensor, *other->second);
      others.erase(other);
    }
    for (const TensorInfo& tensor : second.tensors) {
      if (!others.contains(tensor.name)) continue;
      report(tensor.name, "only in " + (by_b_ ? options_.a : options_.b));
    }
  }

  void compare_metadata(const Metadata& a, const Metadata& b) {
    std::set<std::string> keys;
    for (const auto& [key, value] : a) keys.insert(key);
    for (const auto& [key, value] : b) keys.insert(key);
    keys.erase(std::string(kHistory));
    const auto text = [](const Metadata& metadata, const std::string& key) {
      const auto found = metadata.find(key);
      return found == metadata.end() ? "nothing" : "'" + printable(found->second) + "'";
    };
    for (const std::string& key : keys) {
      if (a.contains(key) && b.contains(key) && a.at(key) == b.at(key)) continue;
      report("", "metadata '" + printable(key) + "': " + text(a, key) + " against " + text(b, key));
    }
  }

  void compare_tensors(const TensorInfo& a, const TensorInfo& b) {
    ++result_.tensors;
    if (a.dtype != b.dtype) {
      return report(a.name, std::string(dtype_name(a.dtype)) + " against " +
                                std::string(dtype_name(b.dtype)));
    }
    if (a.shape != b.shape) {
      return report(a.name, "shape " + shape_text(a.shape) + " against " + shape_text(b.shape));
    }
    ElementDiff elements(a.shape, {options_.rtol, options_.atol, options_.equal_nan});
    std::uint64_t done = 0;
    for_each_piece(*a_, a, 0, num_rows(a.shape), [&](const Tensor& piece) {
      const std::uint64_t end = done + num_elements(piece.shape);
      elements.add(piece, b_->read_elements(b.name, done, end));
      done = end;
    });
    if (elements.count() != 0) add(elements.difference(result_.documents, a.name));
  }

  void report(const std::string& tensor, const std::string& reason) {
    Difference difference;
    difference.document = result_.documents;
    difference.tensor = tensor;
    difference.reason = reason;
    add(std::move(difference));
  }

  void add(Difference difference) {
    ++result_.num_differences;
    if (result_.differences.size() < kMostReported)
      result_.differences.push_back(std::move(difference));
  }

  const DiffOptions& options_;
  std::unique_ptr<DocumentSource> a_;
  std::unique_ptr<DocumentSource> b_;
  bool by_b_;  ///< tensors are compared in the order of b
  DiffResult result_;
};

}  // namespace

DiffResult diff(const DiffOptions& options) { return Diff(options).run(); }

std::string difference_text(const Difference& difference, const DiffResult& result) {
  std::string text =
      result.documents > 1 ? "document " + std::to_string(difference.document) + ": " : "";
  if (!difference.tensor.empty()) text += "tensor '" + printable(difference.tensor) + "': ";
  if (!difference.reason.empty()) return text + difference.reason;
  return text + std::to_string(difference.elements) + " of " + std::to_string(difference.total) +
         (difference.total == 1 ? " element" : " elements") +
         (difference.elements == 1 ? " differs" : " differ") + ", first at " + difference.first +
         ": " + difference.first_a + " against " + difference.first_b + "; largest difference " +
         format_number(difference.largest) + " at " + difference.largest_at;
}

void describe_diff(const ResultFields& f, const DiffResult& diff) {
  auto list = nlohmann::ordered_json::array();
  for (const Difference& difference : diff.differences) {
    nlohmann::ordered_json entry = {{"document", difference.document},
                                    {"tensor", difference.tensor}};
    if (!difference.reason.empty()) {
      entry["reason"] = difference.reason;
    } else {
      entry["elements"] = difference.elements;
      entry["total"] = difference.total;
      entry["first"] = difference.first;
      entry["a"] = difference.first_a;
      entry["b"] = difference.first_b;
      entry["largest"] = difference.largest;
      entry["largest_at"] = difference.largest_at;
    }
    list.push_back(std::move(entry));
  }
  f.add("equal", diff.num_differences == 0, "whether the files hold the same tensors");
  f.add("documents", diff.documents, "documents compared");
  f.add("tensors", diff.tensors, "tensors compared");
  f.add("num_differences", diff.num_differences, "number of differences");
  f.add("differences", list,
        "the first of them: document, tensor and the reason, or elements (that differ), total, "
        "first (place of the first that differs), a and b (its values), largest (difference) and "
        "largest_at (its place)");
}

namespace {

/// |a - b|: 0 for the same infinity, infinite for one, NaN if one is NaN.
double distance(Complex64 a, Complex64 b) {
  const auto axis = [](float x, float y) {
    return x == y ? 0.0 : static_cast<double>(x) - static_cast<double>(y);
  };
  return std::hypot(axis(a.real, b.real), axis(a.imaginary, b.imaginary));
}

template <class T>
double distance(T a, T b) {
  const auto x = widened(a);
  const auto y = widened(b);
  if (x == y) return 0;
  if constexpr (std::is_integral_v<T>) {
    // Exact for neighbours beyond 2^53, where doubles are not.
    const std::uint64_t gap = x > y ? static_cast<std::uint64_t>(x) - static_cast<std::uint64_t>(y)
                                    : static_cast<std::uint64_t>(y) - static_cast<std::uint64_t>(x);
    return static_cast<double>(gap);
  } else {
    return std::abs(static_cast<double>(x) - static_cast<double>(y));
  }
}

double magnitude(Complex64 x) { return std::hypot(x.real, x.imaginary); }
template <class T>
double magnitude(T x) {
  return std::abs(static_cast<double>(widened(x)));
}

bool is_nan(Complex64 x) { return std::isnan(x.real) || std::isnan(x.imaginary); }
template <class T>
bool is_nan(T x) {
  return std::isnan(static_cast<double>(widened(x)));
}

template <class T>
bool has_same_bits(T a, T b) {
  using Bits = std::array<std::byte, sizeof(T)>;
  return std::bit_cast<Bits>(a) == std::bit_cast<Bits>(b);
}

template <class T>
bool is_equal(T a, T b, double gap, const Tolerance& tolerance) {
  // Equal bits are equal, so infinities and identical NaNs are.
  if (gap == 0 || has_same_bits(a, b)) return true;
  if (is_nan(a) || is_nan(b)) return tolerance.equal_nan && is_nan(a) && is_nan(b);
  return std::isfinite(gap) && gap <= tolerance.atol + tolerance.rtol * magnitude(b);
}

}  // namespace

void ElementDiff::add(const Tensor& a, const Tensor& b) {
  with_element_type(a.dtype, [&](auto type) { compare<decltype(type)>(a, b); });
  compared_ += num_elements(a.shape);
}

template <class T>
void ElementDiff::compare(const Tensor& a, const Tensor& b) {
  const std::uint64_t count = num_elements(a.shape);
  for (std::uint64_t i = 0; i < count; ++i) {
    const T x = element<T>(a, i);
    const T y = element<T>(b, i);
    const double gap = distance(x, y);
    if (!is_equal(x, y, gap, tolerance_)) count_difference(a, b, i, gap);
  }
}

void ElementDiff::count_difference(const Tensor& a, const Tensor& b, std::uint64_t i,
                                   double distance) {
  const auto place = [&] { return index_text(compared_ + i, shape_); };
  if (difference_.elements++ == 0) {
    difference_.first = place();
    append_element(difference_.first_a, a, i);
    append_element(difference_.first_b, b, i);
    difference_.largest = std::numeric_limits<double>::quiet_NaN();
    difference_.largest_at = difference_.first;
  }
  if (distance > difference_.largest ||
      (std::isnan(difference_.largest) && !std::isnan(distance))) {
    difference_.largest = distance;
    difference_.largest_at = place();
  }
}

Difference ElementDiff::difference(std::uint64_t document, const std::string& tensor) const {
  Difference result = difference_;
  result.document = document;
  result.tensor = tensor;
  result.total = num_elements(shape_);
  return result;
}

}  // namespace frugal::tensor_file
