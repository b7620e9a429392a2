#include "tools/sparse-train/tree/label_forest.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/tensors/metadata_reader.h"
#include "tools/sparse-train/tree/label_tree.h"

namespace frugal::sparse {
namespace {

/// The weights of a tree rounded to bytes: those of each slot are multiples of its scale, a 127th
/// of the largest of them.
struct ByteWeights {
  std::vector<std::int8_t> values;  ///< in the order of tree.weights
  std::vector<float> scales;        ///< [slots]
};

constexpr float kLargest = 127;

ByteWeights to_bytes(const LabelTree& tree) {
  ByteWeights bytes;
  bytes.scales.assign(tree.shape.num_slots(), 0.0F);
  bytes.values.resize(tree.weights.size());
  for (std::uint32_t n = 0; n < tree.shape.num_nodes(); ++n) {
    float* const scales = bytes.scales.data() + tree.shape.slot_begin[n];
    const std::uint64_t begin = tree.weight_begin[n];
    const std::uint64_t end = tree.weight_begin[n + 1];
    for (std::uint64_t w = begin; w < end; ++w) {
      float& scale = scales[tree.weights[w].child];
      scale = std::max(scale, std::abs(tree.weights[w].value()) / kLargest);
    }
    for (std::uint64_t w = begin; w < end; ++w) {
      const float scale = scales[tree.weights[w].child];
      const float steps = scale > 0 ? tree.weights[w].value() / scale : 0;
      bytes.values[w] =
          static_cast<std::int8_t>(std::lround(std::clamp(steps, -kLargest, kLargest)));
    }
  }
  return bytes;
}

/// The weights of a tree whose other arrays are there; children: of its node, by weight. Fails
/// (bad_input), beginning with `where`, where numbers do not fit together.
std::vector<ChildWeight> from_bytes(const ByteWeights& bytes,
                                    const std::vector<std::uint16_t>& children,
                                    const LabelTree& tree, const std::string& where) {
  const std::size_t slots = tree.shape.num_slots();
  if (bytes.scales.size() != slots || tree.weight_begin.size() != tree.shape.num_nodes() + 1 ||
      tree.weight_begin.back() != children.size() || bytes.values.size() != children.size()) {
    fail(ExitStatus::bad_input, where, ": has ", bytes.scales.size(), " scales and ",
         children.size(), " weights in bytes, expected ", slots, " and ", tree.weight_begin.back());
  }
  std::vector<ChildWeight> weights(children.size());
  for (std::uint32_t n = 0; n < tree.shape.num_nodes(); ++n) {
    const std::uint32_t first = tree.shape.slot_begin[n];
    for (std::uint64_t w = tree.weight_begin[n]; w < tree.weight_begin[n + 1]; ++w) {
      if (children[w] >= tree.shape.num_children(n)) {
        fail(ExitStatus::bad_input, where, ": node ", n, ": weight of child ", children[w],
             ", expected one of ", tree.shape.num_children(n), " children");
      }
      weights[w] = {children[w], to_bfloat16(bytes.scales[first + children[w]] *
                                             static_cast<float>(bytes.values[w]))};
    }
  }
  return weights;
}

constexpr const char* kTrees = "tree.trees";
constexpr const char* kFeatures = "tree.features";
constexpr const char* kLabels = "tree.labels";
constexpr const char* kBeam = "tree.beam";
constexpr std::uint32_t kMostTrees = 1000;

std::string name_of(std::size_t tree, const char* array) {
  return "tree." + std::to_string(tree) + "." + array;
}

template <class T>
void add(Document& document, const std::string& name, const std::vector<T>& values) {
  document.tensors.push_back(Tensor::copy_of<T>(name, {values.size()}, values));
}

template <class T>
std::span<const T> lent(const Document& document, const std::string& path,
                        const std::string& name) {
  const Tensor* tensor = document.find(name);
  if (tensor == nullptr || tensor->dtype != dtype_of<T>() || tensor->shape.size() != 1) {
    fail(ExitStatus::bad_input, path, ": tensor '", name, "' is ",
         tensor == nullptr
             ? "missing"
             : std::string(dtype_name(tensor->dtype)) + " " + shape_text(tensor->shape),
         ", expected one axis of ", dtype_name(dtype_of<T>()));
  }
  return tensor->as<T>();
}

template <class T>
std::vector<T> read(const Document& document, const std::string& path, const std::string& name) {
  const std::span<const T> values = lent<T>(document, path, name);
  return {values.begin(), values.end()};
}

/// Numbers of things from the places where they begin, and the other way round: small numbers
/// compress well.
template <class T>
std::vector<std::uint32_t> steps(const std::vector<T>& begin) {
  std::vector<std::uint32_t> result(begin.size() - 1);
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = static_cast<std::uint32_t>(begin[i + 1] - begin[i]);
  return result;
}
template <class T>
std::vector<T> places(const std::vector<std::uint32_t>& steps) {
  std::vector<T> result(steps.size() + 1);
  for (std::size_t i = 0; i < steps.size(); ++i)
    result[i + 1] = static_cast<T>(result[i] + steps[i]);
  return result;
}

void save_weights(const LabelTree& tree, std::size_t t, bool bytes, Document& document) {
  const std::size_t n = tree.weights.size();
  Tensor children = Tensor::make(name_of(t, "weight_children"), Dtype::u16, {n});
  const std::span<std::uint16_t> child = children.as<std::uint16_t>();
  for (std::size_t w = 0; w < n; ++w) child[w] = tree.weights[w].child;
  document.tensors.push_back(std::move(children));
  if (bytes) {
    const ByteWeights rounded = to_bytes(tree);
    add(document, name_of(t, "weights"), rounded.values);
    add(document, name_of(t, "weight_scales"), rounded.scales);
    return;
  }
  Tensor weights = Tensor::make(name_of(t, "weights"), Dtype::bf16, {n});
  const std::span<BFloat16> value = weights.as<BFloat16>();
  for (std::size_t w = 0; w < n; ++w) value[w] = tree.weights[w].weight;
  document.tensors.push_back(std::move(weights));
}

void save_tree(const LabelTree& tree, std::size_t t, bool bytes, Document& document) {
  add(document, name_of(t, "children"), steps(tree.shape.slot_begin));
  add(document, name_of(t, "labels"), tree.shape.labels);
  add(document, name_of(t, "bias"), tree.bias);
  add(document, name_of(t, "rows"), steps(tree.row_begin));
  add(document, name_of(t, "features"), tree.features);
  add(document, name_of(t, "row_ends"), tree.ends);
  add(document, name_of(t, "weight_counts"), steps(tree.weight_begin));
  save_weights(tree, t, bytes, document);
}

bool has_bytes(const Document& document, std::size_t t) {
  const Tensor* const stored = document.find(name_of(t, "weights"));
  return stored != nullptr && stored->dtype == Dtype::i8;
}

void require_as_many(std::size_t children, std::size_t weights, const std::string& where) {
  if (children == weights) return;
  fail(ExitStatus::bad_input, where, ": has ", children, " children of weights, expected ",
       weights);
}

LentRows lend_rows(const Document& document, const std::string& path, std::size_t t,
                   const std::string& where) {
  LentRows rows{lent<std::uint32_t>(document, path, name_of(t, "features")),
                lent<std::uint32_t>(document, path, name_of(t, "row_ends")),
                lent<std::uint16_t>(document, path, name_of(t, "weight_children")),
                lent<BFloat16>(document, path, name_of(t, "weights")), where};
  require_as_many(rows.children.size(), rows.weights.size(), where);
  return rows;
}

std::vector<ChildWeight> load_weights(const Document& document, const std::string& path,
                                      std::size_t t, const LabelTree& tree,
                                      const std::string& where) {
  const auto children = read<std::uint16_t>(document, path, name_of(t, "weight_children"));
  const bool bytes = has_bytes(document, t);
  ByteWeights rounded;
  std::vector<BFloat16> weights;
  if (bytes) {
    rounded = {read<std::int8_t>(document, path, name_of(t, "weights")),
               read<float>(document, path, name_of(t, "weight_scales"))};
  } else {
    weights = read<BFloat16>(document, path, name_of(t, "weights"));
  }
  const std::size_t n = bytes ? rounded.values.size() : weights.size();
  require_as_many(children.size(), n, where);
  if (bytes) return from_bytes(rounded, children, tree, where);
  std::vector<ChildWeight> result(n);
  for (std::size_t w = 0; w < n; ++w) result[w] = {children[w], weights[w]};
  return result;
}

LabelTree load_tree(const Document& document, const std::string& path, std::size_t t,
                    std::uint32_t num_features, std::uint32_t num_labels, Elements elements) {
  const std::string where = path + ": tree " + std::to_string(t);
  LabelTree tree;
  // Sums that overflow 32 bits come out too small, and the check says so.
  tree.shape.slot_begin =
      places<std::uint32_t>(read<std::uint32_t>(document, path, name_of(t, "children")));
  tree.shape.labels = read<std::uint32_t>(document, path, name_of(t, "labels"));
  tree.bias = read<float>(document, path, name_of(t, "bias"));
  tree.row_begin = places<std::uint64_t>(read<std::uint32_t>(document, path, name_of(t, "rows")));
  tree.weight_begin =
      places<std::uint64_t>(read<std::uint32_t>(document, path, name_of(t, "weight_counts")));
  // Bytes are put together by the shape.
  tree.shape.check_outline(where, num_labels);
  if (elements == Elements::lent && !has_bytes(document, t)) {
    tree.lent = lend_rows(document, path, t, where);
    tree.check(where, num_features, num_labels);
    return tree;
  }
  tree.features = read<std::uint32_t>(document, path, name_of(t, "features"));
  tree.ends = read<std::uint32_t>(document, path, name_of(t, "row_ends"));
  tree.weights = load_weights(document, path, t, tree, where);
  tree.check(where, num_features, num_labels);
  tree.build_directory();
  return tree;
}

}  // namespace

void LabelForest::save_numbers(Document& document) const {
  document.metadata[kTrees] = std::to_string(trees.size());
  document.metadata[kFeatures] = std::to_string(num_features);
  document.metadata[kLabels] = std::to_string(num_labels);
  document.metadata[kBeam] = std::to_string(beam);
}

void LabelForest::save(Document& document) const {
  save_numbers(document);
  for (std::size_t t = 0; t < trees.size(); ++t) save_tree(trees[t], t, false, document);
}

void LabelForest::move_to(Document& document, bool bytes) {
  save_numbers(document);
  for (std::size_t t = 0; t < trees.size(); ++t) {
    save_tree(trees[t], t, bytes, document);
    trees[t] = LabelTree();
  }
}

LabelForest LabelForest::load(const Document& document, const std::string& path,
                              std::uint32_t fewest, Elements elements) {
  constexpr std::uint32_t kAny = std::numeric_limits<std::uint32_t>::max();
  LabelForest forest;
  const MetadataReader read(document, path);
  const auto trees = static_cast<std::uint32_t>(read.number(kTrees, fewest, kMostTrees));
  forest.num_features = static_cast<std::uint32_t>(read.number(kFeatures, 1, kAny));
  forest.num_labels = static_cast<std::uint32_t>(read.number(kLabels, 1, kAny));
  forest.beam = static_cast<std::uint32_t>(read.number(kBeam, 1, kAny));
  for (std::uint32_t t = 0; t < trees; ++t) {
    forest.trees.push_back(
        load_tree(document, path, t, forest.num_features, forest.num_labels, elements));
  }
  return forest;
}

std::uint64_t LabelForest::num_bytes() const {
  std::uint64_t total = 0;
  for (const LabelTree& tree : trees) total += tree.num_bytes();
  return total;
}

}  // namespace frugal::sparse
