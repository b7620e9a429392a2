#include "tools/tgn-train/data/event_stream.h"

#include <algorithm>
#include <vector>

#include "libcore/system/limits.h"
#include "libcore/tensors/mapped_document.h"
#include "libcore/tensors/metadata_reader.h"
#include "tools/tgn-train/data/event_file.h"

namespace frugal::tgn {

struct EventStream::State {
  State(const std::string& path_, const HeaderNames& wanted_types)
      : path(path_), mapped(MappedDocument::open(path)) {
    if (mapped != nullptr) {
      document.metadata = mapped->info().metadata;
      for (const TensorInfo& info : mapped->info().tensors) {
        document.tensors.push_back(mapped->tensor(info));
      }
    } else {
      document = read_document(path);
    }
    content = view_events(document, path);
    edges = content.edge_features;
    if (content.types.empty()) return;
    number_types(wanted_types);
    edges.rows = content.num_events();
    edges.types = content.types.data();
    edges.num_types = header_names_of(kTypesKey, content.metadata, path).size();
  }

  /// Numbers the types as in `wanted` if these include all of the file.
  void number_types(const HeaderNames& wanted) {
    const HeaderNames names = header_names_of(kTypesKey, content.metadata, path);
    std::vector<std::uint16_t> places;
    for (const std::string& name : names) {
      const auto found = std::find(wanted.begin(), wanted.end(), name);
      if (found == wanted.end()) return;
      places.push_back(static_cast<std::uint16_t>(found - wanted.begin()));
    }
    if (names == wanted) return;
    check_memory(path + ": its edge types", content.types.size_bytes());
    types.reserve(content.types.size());
    for (const std::uint16_t type : content.types) types.push_back(places[type]);
    content.types = types;
    add_header_names(kTypesKey, wanted, content.metadata);
  }

  std::string path;
  std::unique_ptr<MappedDocument> mapped;
  Document document;
  EventContent content;
  std::vector<std::uint16_t> types;  ///< renumbered; empty: as in the document
  FeatureRows edges;                 ///< of the content, with types
};

EventStream::EventStream(const std::string& path, const HeaderNames& types)
    : state_(std::make_unique<State>(path, types)) {}
EventStream::~EventStream() = default;
EventStream::EventStream(EventStream&&) noexcept = default;

const std::string& EventStream::path() const { return state_->path; }
const Metadata& EventStream::metadata() const { return state_->content.metadata; }
std::size_t EventStream::num_events() const { return state_->content.num_events(); }
std::size_t EventStream::num_nodes() const { return state_->content.num_nodes; }
std::size_t EventStream::num_sources() const { return state_->content.num_sources; }
std::span<const NodeId> EventStream::sources() const { return state_->content.sources; }
std::span<const NodeId> EventStream::destinations() const { return state_->content.destinations; }
const EventTimes& EventStream::times() const { return state_->content.times; }
std::span<const std::uint8_t> EventStream::labels() const { return state_->content.labels; }
std::span<const float> EventStream::targets() const { return state_->content.targets; }
HeaderNames EventStream::class_names() const {
  return header_names_of(kClassesKey, metadata(), path());
}
std::span<const std::uint16_t> EventStream::types() const { return state_->content.types; }
HeaderNames EventStream::type_names() const {
  return header_names_of(kTypesKey, metadata(), path());
}
const FeatureRows& EventStream::edge_features() const { return state_->edges; }
const FeatureRows& EventStream::node_features() const { return state_->content.node_features; }
bool EventStream::has_names() const { return !state_->content.name_offsets.empty(); }
NodeId EventStream::first_id() const { return state_->content.first_id; }

HeaderNames EventStream::feature_names() const {
  return header_names_of(kFeaturesKey, metadata(), path());
}
HeaderNames EventStream::role_names() const {
  return header_names_of(kColumnsKey, metadata(), path());
}
std::string EventStream::type_column() const {
  const auto found = metadata().find(kTypeColumnKey);
  return found == metadata().end() ? "" : found->second;
}
bool EventStream::has_dates() const {
  return MetadataReader(metadata(), path()).flag(kDatesKey, false);
}

std::string_view EventStream::name(NodeId node) const {
  const EventContent& content = state_->content;
  const std::uint64_t begin = content.name_offsets[node], end = content.name_offsets[node + 1];
  return std::string_view(reinterpret_cast<const char*>(content.names.data()), content.names.size())
      .substr(begin, end - begin);
}

}  // namespace frugal::tgn
