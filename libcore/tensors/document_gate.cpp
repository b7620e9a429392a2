#include "libcore/tensors/document_gate.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/base/float16.h"
#include "libcore/base/text.h"
#include "libcore/tensors/document_keys.h"
#include "libcore/threading/find_bad.h"

namespace frugal {
namespace {

float as_float(float x) { return x; }
float as_float(Float16 x) { return to_float(x); }
float as_float(BFloat16 x) { return to_float(x); }

template <class T>
void check_values(const Tensor& tensor, const std::string& path) {
  const auto values = tensor.as<T>();
  const std::size_t bad =
      find_bad(values.size(), [&](std::size_t i) { return std::isfinite(as_float(values[i])); });
  if (bad == values.size()) return;
  fail(ExitStatus::bad_input, path, ": tensor '", printable(tensor.name), "' has a ",
       format_number(double{as_float(values[bad])}), ", expected finite numbers");
}

}  // namespace

void check_finite(const Tensor& tensor, const std::string& path) {
  switch (tensor.dtype) {
    case Dtype::f32: return check_values<float>(tensor, path);
    case Dtype::f16: return check_values<Float16>(tensor, path);
    case Dtype::bf16: return check_values<BFloat16>(tensor, path);
    default: return;
  }
}

void check_finite(const Document& document, const std::string& path) {
  for (const Tensor& tensor : document.tensors) check_finite(tensor, path);
}

namespace {

constexpr std::uint64_t kNewestVersion = 1;
constexpr std::string_view kForeignKind = "tensors";

std::string_view value_of(const Metadata& metadata, const char* key) {
  const auto found = metadata.find(key);
  return found == metadata.end() ? std::string_view() : std::string_view(found->second);
}

bool takes_kind(const DocumentGate& gate, std::string_view kind) {
  const bool foreign = kind.empty() || kind == kForeignKind;
  if (foreign && gate.foreign == ForeignDocuments::welcome) return true;
  return std::find(gate.kinds.begin(), gate.kinds.end(), kind) != gate.kinds.end();
}

}  // namespace

std::string version_problem(const Metadata& metadata) {
  const auto found = metadata.find(kVersionKey);
  if (found == metadata.end()) return "";
  const auto version = parse_number<std::uint64_t>(found->second);
  const bool canonical = version && std::to_string(*version) == found->second;
  if (canonical && *version >= 1 && *version <= kNewestVersion) return "";
  const bool newer = version && *version > kNewestVersion;
  return "is of version '" + printable(found->second) + "' of the format, expected " +
         std::to_string(kNewestVersion) +
         (newer ? ": a newer program wrote it" : ": the metadata are damaged");
}

void check_version(const Metadata& metadata, const std::string& path) {
  const std::string problem = version_problem(metadata);
  if (!problem.empty()) fail(ExitStatus::bad_input, path, ": ", problem);
}

void check_document(const Metadata& metadata, const std::string& path, const DocumentGate& gate) {
  check_version(metadata, path);
  const std::string_view kind = value_of(metadata, kKindKey);
  const std::string_view tool = value_of(metadata, kToolKey);
  const bool right_tool = gate.tool.empty() || tool.empty() || tool == gate.tool;
  if (takes_kind(gate, kind) && right_tool) return;
  fail(ExitStatus::bad_input, path, ": found ",
       kind.empty() ? std::string("a tensor file of no kind")
                    : "a file of kind '" + printable(kind) + "'",
       tool.empty() ? "" : " of " + printable(tool), ", expected ", gate.what);
}

}  // namespace frugal
