#include "tools/tgn-train/data/event_file.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/tensors/document_gate.h"
#include "libcore/tensors/document_keys.h"
#include "libcore/tensors/metadata_reader.h"
#include "libcore/threading/find_bad.h"
#include "tools/tgn-train/data/header_names.h"

namespace frugal::tgn {
namespace {

void check_nodes(std::span<const NodeId> nodes, std::size_t begin, std::size_t end,
                 const char* tensor, const std::string& path) {
  const std::size_t bad =
      find_bad(nodes.size(), [=](std::size_t e) { return nodes[e] >= begin && nodes[e] < end; });
  if (bad == nodes.size()) return;
  fail(ExitStatus::bad_input, path, ": tensor '", tensor, "': event ", bad, " has node ",
       nodes[bad], ", expected ",
       begin < end ? std::to_string(begin) + " to " + std::to_string(end - 1) : "no such nodes");
}

std::string text_of(std::int64_t time) { return std::to_string(time); }
std::string text_of(double time) { return format_number(time); }

template <class T>
void check_times(std::span<const T> times, T latest, const std::string& path) {
  const std::size_t bad = find_bad(
      times.size(), [=](std::size_t e) { return -latest <= times[e] && times[e] <= latest; });
  if (bad != times.size()) {
    fail(ExitStatus::bad_input, path, ": tensor 'times': event ", bad, " is at ",
         text_of(times[bad]), ", expected ", text_of(-latest), " to ", text_of(latest));
  }
  const std::size_t fall =
      find_bad(times.size() - 1, [=](std::size_t e) { return times[e] <= times[e + 1]; });
  if (fall == times.size() - 1) return;
  fail(ExitStatus::bad_input, path, ": tensor 'times': event ", fall + 1, " is at ",
       text_of(times[fall + 1]), ", before event ", fall, " at ", text_of(times[fall]),
       ", expected times that never fall");
}

void check_labels(std::span<const std::uint8_t> labels, const std::string& path) {
  const std::size_t bad = find_bad(labels.size(), [=](std::size_t e) { return labels[e] <= 1; });
  if (bad == labels.size()) return;
  fail(ExitStatus::bad_input, path, ": tensor 'labels': event ", bad, " has ", int{labels[bad]},
       ", expected 0 or 1");
}

void check_targets(const EventContent& content, const std::string& path) {
  const std::size_t classes = header_names_of(kClassesKey, content.metadata, path).size();
  const auto targets = content.targets;
  const std::size_t bad = find_bad(targets.size(), [=](std::size_t e) {
    const float target = targets[e];
    if (std::isnan(target)) return true;
    if (classes == 0) return std::isfinite(target);
    return target >= 0 && target < static_cast<float>(classes) && target == std::floor(target);
  });
  if (classes > kMostClasses) {
    fail(ExitStatus::bad_input, path, ": metadata ", kClassesKey, " names ", classes,
         " classes, expected at most ", kMostClasses);
  }
  if (bad == targets.size()) return;
  fail(ExitStatus::bad_input, path, ": tensor 'targets': event ", bad, " has ", targets[bad],
       ", expected ",
       classes == 0 ? "finite numbers" : "numbers of classes below " + std::to_string(classes));
}

void check_types(const EventContent& content, const std::string& path) {
  const auto types = content.types;
  const HeaderNames all = header_names_of(kTypesKey, content.metadata, path);
  const std::size_t names = all.size();
  if (const std::string* const name = repeated(all)) {
    fail(ExitStatus::bad_input, path, ": metadata ", kTypesKey, " names '", printable(*name, 40),
         "' twice, expected each edge type once");
  }
  if ((names == 0) != types.empty() || names > kMostTypes) {
    fail(ExitStatus::bad_input, path, ": metadata ", kTypesKey, " names ", names,
         types.empty() ? " edge types, expected a tensor 'types' or no names"
                       : " edge types, expected 1 to 65535 for the tensor 'types'");
  }
  const std::size_t bad = find_bad(types.size(), [=](std::size_t e) { return types[e] < names; });
  if (bad == types.size()) return;
  fail(ExitStatus::bad_input, path, ": tensor 'types': event ", bad, " has type ", types[bad],
       ", expected 0 to ", names - 1);
}

void check_features(const FeatureRows& rows, const char* tensor, const char* row,
                    const std::string& path) {
  if (rows.empty()) return;
  const std::size_t bad = find_bad(rows.rows, [&](std::size_t r) { return rows.is_finite(r); });
  if (bad == rows.rows) return;
  fail(ExitStatus::bad_input, path, ": tensor '", tensor, "': ", row, " ", bad,
       " has a feature that is not finite, expected numbers");
}

void check_names(const EventContent& content, const std::string& path) {
  const auto offsets = content.name_offsets;
  if (offsets.empty()) return;
  const bool good = offsets.front() == 0 && offsets.back() == content.names.size() &&
                    std::is_sorted(offsets.begin(), offsets.end());
  if (good) return;
  fail(ExitStatus::bad_input, path, ": tensor 'names.offsets' does not ascend from 0 to the ",
       content.names.size(), " bytes of names");
}

/// Fails (bad_input) with `path`, the tensor and the first event, or node, that breaks a promise of
/// EventContent. Shapes are right already. Reads everything once, on all threads.
void check_events(const EventContent& content, const std::string& path) {
  const std::size_t nodes = content.num_nodes, sources = content.num_sources;
  check_nodes(content.sources, 0, sources == 0 ? nodes : sources, "sources", path);
  check_nodes(content.destinations, sources, nodes, "destinations", path);
  if (content.times.is_whole()) {
    check_times(content.times.whole(), std::numeric_limits<std::int64_t>::max(), path);
  } else {
    check_times(content.times.real(), kLatestTime, path);
  }
  check_labels(content.labels, path);
  check_targets(content, path);
  check_types(content, path);
  check_features(content.edge_features, "edge_features", "event", path);
  check_features(content.node_features, "node_features", "node", path);
  check_names(content, path);
}

constexpr char kNodesKey[] = "tgn.nodes";
constexpr char kSourcesKey[] = "tgn.sources";
constexpr char kEventsKey[] = "tgn.events";
constexpr char kFirstIdKey[] = "tgn.first_id";

[[noreturn]] void refuse(const std::string& path, const Tensor& tensor,
                         const std::string& expected) {
  fail(ExitStatus::bad_input, path, ": tensor '", printable(tensor.name), "' is ",
       dtype_name(tensor.dtype), " ", shape_text(tensor.shape), ", expected ", expected);
}

const Tensor& needed(const Document& document, const std::string& path, const char* name) {
  const Tensor* const tensor = document.find(name);
  if (tensor != nullptr) return *tensor;
  fail(ExitStatus::bad_input, path, ": no tensor '", name, "', expected a stream of events");
}

template <class T>
std::span<const T> vector_of(const std::string& path, const Tensor& tensor, std::uint64_t size) {
  if (tensor.dtype != dtype_of<T>() || tensor.shape != Shape{size}) {
    refuse(path, tensor,
           std::string(dtype_name(dtype_of<T>())) + " [" + std::to_string(size) + "]");
  }
  return tensor.as<T>();
}

std::uint64_t number_or(const MetadataReader& read, const char* key, std::uint64_t most,
                        std::uint64_t standard) {
  return read.has(key) ? read.number(key, 0, most) : standard;
}

EventTimes view_times(const Document& document, const std::string& path, std::uint64_t events) {
  const Tensor& tensor = needed(document, path, "times");
  if (tensor.shape == Shape{events}) {
    if (tensor.dtype == Dtype::i64) return EventTimes(tensor.as<std::int64_t>());
    if (tensor.dtype == Dtype::f64) return EventTimes(tensor.as<double>());
  }
  refuse(path, tensor, "I64 or F64 [" + std::to_string(events) + "], as many as sources");
}

FeatureRows view_features(const Document& document, const std::string& path, const char* name,
                          std::uint64_t rows) {
  const Tensor* const tensor = document.find(name);
  if (tensor == nullptr) return {};
  if (!holds_features(tensor->dtype) || tensor->shape.size() != 2 || tensor->shape[0] != rows ||
      tensor->shape[1] == 0) {
    refuse(path, *tensor, "F32, F16 or BF16 [" + std::to_string(rows) + ", features]");
  }
  return {tensor->dtype, tensor->content().data(), static_cast<std::size_t>(rows),
          static_cast<std::size_t>(tensor->shape[1])};
}

void view_names(const Document& document, const std::string& path, EventContent& content) {
  const Tensor* const offsets = document.find("names.offsets");
  if (offsets == nullptr) return;
  content.name_offsets = vector_of<std::uint64_t>(path, *offsets, content.num_nodes + 1);
  const Tensor& names = needed(document, path, "names");
  if (names.dtype != Dtype::u8 || names.shape.size() != 1) refuse(path, names, "U8 of one axis");
  content.names = names.as<std::uint8_t>();
}

void view_nodes(const Document& document, const std::string& path, EventContent& content) {
  const MetadataReader read(document, path);
  content.num_nodes = read.number(kNodesKey, 0, kMostNodes);
  content.num_sources = number_or(read, kSourcesKey, content.num_nodes, 0);
  content.first_id = static_cast<NodeId>(number_or(read, kFirstIdKey, kMostNodes, 0));
  view_names(document, path, content);
}

/// Tensors of a document to be written, lent from where they lie.
class TensorList {
 public:
  explicit TensorList(Document& document) : document_(document) {}

  template <class T>
  void add_if_any(const char* name, std::span<const T> values) {
    if (!values.empty()) {
      document_.tensors.push_back(Tensor::lend<T>(name, {values.size()}, values));
    }
  }
  void add_if_any(const char* name, const FeatureRows& rows) {
    if (rows.empty()) return;
    Tensor tensor{name, rows.dtype, {rows.rows, rows.dim}, {}, {}};
    if (rows.data != nullptr) tensor.lent = {rows.data, rows.rows * rows.row_bytes()};
    document_.tensors.push_back(std::move(tensor));
  }

 private:
  Document& document_;
};

/// The numbers of nodes and events, and so on, beside content.metadata.
Metadata event_metadata(const EventContent& content, std::uint64_t num_events) {
  Metadata metadata = content.metadata;
  for (const char* const key : {kSourcesKey, kFirstIdKey}) metadata.erase(key);
  metadata.erase(kKindKey);
  metadata[kNodesKey] = std::to_string(content.num_nodes);
  metadata[kEventsKey] = std::to_string(num_events);
  if (content.num_sources != 0) metadata[kSourcesKey] = std::to_string(content.num_sources);
  if (content.first_id != 0) metadata[kFirstIdKey] = std::to_string(content.first_id);
  return metadata;
}

}  // namespace

void check_num_nodes(const EventContent& content, const std::string& path) {
  constexpr std::uint64_t kSurelyFine = 1 << 24, kNodesAnEvent = 2000;
  const std::uint64_t nodes = content.num_nodes, events = content.num_events();
  const bool in_file = !content.name_offsets.empty() || !content.node_features.empty();
  if (in_file || nodes <= kSurelyFine || nodes / kNodesAnEvent <= events) return;
  fail(ExitStatus::bad_input, path, ": has ", nodes, " nodes and ", format_count(events, "event"),
       ", expected at most ", kNodesAnEvent,
       " nodes an event; import --ids any numbers nodes as they come");
}

EventContent view_events(const Document& document, const std::string& path) {
  check_document(document, path,
                 {"a stream of events as tgn-train import or generate writes", {kEventsKind}});
  EventContent content = view_event_tensors(document, path);
  check_num_nodes(content, path);
  return content;
}

EventContent view_event_tensors(const Document& document, const std::string& path) {
  EventContent content;
  content.metadata = document.metadata;
  view_nodes(document, path, content);
  const Tensor& sources = needed(document, path, "sources");
  if (sources.dtype != Dtype::u32 || sources.shape.size() != 1) {
    refuse(path, sources, "U32 of one axis");
  }
  const std::uint64_t events = sources.shape[0];
  if (events == 0 || events > kMostEvents) {
    fail(ExitStatus::bad_input, path, ": has ", format_count(events, "event"), ", expected 1 to ",
         kMostEvents);
  }
  if (number_or(MetadataReader(document, path), kEventsKey, kMostEvents, events) != events) {
    fail(ExitStatus::bad_input, path, ": metadata ", kEventsKey, " is ",
         document.metadata.at(kEventsKey), ", expected ", events, ", as many as there are sources");
  }
  content.sources = sources.as<NodeId>();
  content.destinations = vector_of<NodeId>(path, needed(document, path, "destinations"), events);
  content.times = view_times(document, path, events);
  if (const Tensor* const labels = document.find("labels")) {
    content.labels = vector_of<std::uint8_t>(path, *labels, events);
  }
  if (const Tensor* const targets = document.find("targets")) {
    content.targets = vector_of<float>(path, *targets, events);
  }
  if (const Tensor* const types = document.find("types")) {
    content.types = vector_of<std::uint16_t>(path, *types, events);
  }
  content.edge_features = view_features(document, path, "edge_features", events);
  content.node_features = view_features(document, path, "node_features", content.num_nodes);
  check_events(content, path);
  return content;
}

void save_events(const std::string& path, const EventContent& content,
                 const TensorWriteOptions& options) {
  Document document;
  document.metadata[kKindKey] = kEventsKind;
  add_events(content, document);
  write_document(path, document, options);
}

void add_events(const EventContent& content, Document& document) {
  document.metadata.merge(event_metadata(content, content.num_events()));
  TensorList list(document);
  list.add_if_any("sources", content.sources);
  list.add_if_any("destinations", content.destinations);
  list.add_if_any("times", content.times.whole());
  list.add_if_any("times", content.times.real());
  list.add_if_any("labels", content.labels);
  list.add_if_any("targets", content.targets);
  list.add_if_any("types", content.types);
  list.add_if_any("edge_features", content.edge_features);
  list.add_if_any("node_features", content.node_features);
  list.add_if_any("names.offsets", content.name_offsets);
  if (!content.name_offsets.empty()) {
    document.tensors.push_back(
        Tensor::lend<std::uint8_t>("names", {content.names.size()}, content.names));
  }
}

void write_events(const std::string& path, const EventContent& content, const EventFiller& filler,
                  const TensorWriteOptions& options) {
  const std::uint64_t n = filler.num_events;
  DocumentInfo info;
  info.metadata = event_metadata(content, n);
  info.metadata[kKindKey] = kEventsKind;
  info.tensors = {
      {"times", Dtype::i64, {n}}, {"sources", Dtype::u32, {n}}, {"destinations", Dtype::u32, {n}}};
  if (filler.has_types) info.tensors.push_back({"types", Dtype::u16, {n}});
  if (filler.edge_features != 0) {
    info.tensors.push_back({"edge_features", filler.feature_dtype, {n, filler.edge_features}});
  }
  TensorWriter writer(path, options);
  writer.write(info, [&](const TensorInfo& tensor, std::uint64_t begin, std::uint64_t end,
                         std::span<std::byte> to) { filler.fill(tensor.name, begin, end, to); });
  writer.finish();
}

}  // namespace frugal::tgn
