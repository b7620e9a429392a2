#include "tools/tgn-train/making/import.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/graph/id_range.h"
#include "libcore/system/limits.h"
#include "libcore/threading/parallel.h"
#include "tools/tgn-train/data/event_file.h"
#include "tools/tgn-train/data/event_text.h"
#include "tools/tgn-train/data/feature_rows.h"
#include "tools/tgn-train/data/node_kinds.h"

namespace frugal::tgn {
namespace {

/// An import's parts until they are written.
struct Imported {
  EventLayout layout;
  EventTable table;
  NodeKinds kinds;
  std::vector<std::uint32_t> order;     ///< of output events the input's; empty: as they come
  Tensor edge_features, node_features;  ///< as stored, or without shape
  std::vector<std::uint64_t> name_offsets;
  std::vector<std::uint8_t> names;
};

Dtype imported_dtype(const std::string& name) {
  if (name == "f32") return Dtype::f32;
  if (name == "f16") return Dtype::f16;
  if (name == "bf16") return Dtype::bf16;
  fail(ExitStatus::usage, "--feature-type is '", printable(name), "', expected f32, f16 or bf16");
}

TwoKinds two_kinds_of(const std::string& name) {
  if (name == "auto") return TwoKinds::automatic;
  if (name == "yes") return TwoKinds::yes;
  if (name == "no") return TwoKinds::no;
  fail(ExitStatus::usage, "--bipartite is '", printable(name), "', expected auto, yes or no");
}

void check_options(const ImportOptions& o) {
  const bool names = o.ids == "any";
  if (names && o.nodes != 0) {
    fail(ExitStatus::usage,
         "--nodes says how many numbers there are, --ids any has names: leave one out");
  }
  if (names && !o.node_features.empty()) {
    fail(ExitStatus::usage,
         "--ids any numbers nodes as they come, expected --ids number with --node-features, whose "
         "rows go by number");
  }
  if (o.nodes > kMostNodes) {
    fail(ExitStatus::usage, "--nodes is ", o.nodes, ", expected at most ", kMostNodes);
  }
}

void read_table(const ImportOptions& o, const ImportProgress& progress, Imported& data) {
  PieceReader reader(o.events);
  EventLayoutOptions layout = o.layout;
  layout.ids = event_ids(o.ids);
  const bool by_number = o.nodes != 0 || !o.node_features.empty();
  if (layout.ids == EventIds::automatic && by_number) layout.ids = EventIds::number;
  data.layout = event_layout(reader, layout);
  if (data.layout.names && data.layout.format->padded) {
    fail(ExitStatus::usage, "--ids any, but ", o.events,
         " is of format tgn, whose ids are numbers");
  }
  const TwoKinds kinds = two_kinds_of(o.bipartite);
  const bool own_ids = data.layout.own_ids;
  EventTextOptions text;
  if (o.nodes != 0) text.num_nodes = o.nodes;
  text.names = data.layout.names;
  text.own_names = kinds == TwoKinds::yes || (kinds == TwoKinds::automatic && own_ids);
  text.any_order = o.sort;
  data.table = read_event_text(reader, data.layout, text,
                               [&](std::uint64_t bytes) { progress("events", bytes); });
  data.kinds = number_kinds(data.table, {kinds, own_ids, o.nodes}, o.events);
  if (!text.names && o.nodes == 0) {
    check_id_range(o.events, data.kinds.num_nodes, data.table.size());
  }
}

/// A stable order by time.
void find_order(Imported& data) {
  if (data.table.in_order) return;
  data.order.resize(data.table.size());
  std::iota(data.order.begin(), data.order.end(), 0U);
  const auto sort = [&](const auto& times) {
    std::stable_sort(data.order.begin(), data.order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return times[a] < times[b]; });
  };
  data.table.real.empty() ? sort(data.table.whole) : sort(data.table.real);
}

template <class T>
void reorder(const std::vector<std::uint32_t>& order, Array<T>& values) {
  if (order.empty() || values.empty()) return;
  Array<T> sorted(values.size(), uninitialized);
  parallel_ranges(order.size(), [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t e = begin; e < end; ++e) sorted[e] = values[order[e]];
  });
  values = std::move(sorted);
}

/// The rows that `row_of` names, as they are stored.
template <class RowOf>
Tensor gather(const Tensor& rows, const char* name, std::size_t n, Dtype dtype,
              const RowOf& row_of) {
  const std::size_t dim = rows.shape[1];
  const auto from = rows.as<float>();
  Tensor out = Tensor::make(name, dtype, {n, dim});
  std::byte* const to = out.bytes.data();
  parallel_ranges(n, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t i = begin; i < end; ++i) {
      store_features(from.data() + row_of(i) * dim, dim, dtype, to + i * dim * item_size(dtype));
    }
  });
  return out;
}

/// bf16 and f16 hold less than f32: a number may have become infinite.
void check_stored(const Tensor& features, const std::string& path) {
  const FeatureRows rows{features.dtype, features.content().data(),
                         static_cast<std::size_t>(features.shape[0]),
                         static_cast<std::size_t>(features.shape[1])};
  for (std::size_t r = 0; r < rows.rows; ++r) {
    if (rows.is_finite(r)) continue;
    fail(ExitStatus::bad_input, path, ": features of row ", r, " are too large for ",
         dtype_name(features.dtype), ", expected --feature-type f32");
  }
}

/// DIR/ml_NAME<suffix> beside DIR/ml_NAME.csv, if it is there.
std::string file_beside(const std::string& path, const std::string& suffix) {
  std::string stem = path;
  for (const char* packed : {".zst", ".gz"}) {
    if (stem.ends_with(packed)) stem.resize(stem.size() - std::string_view(packed).size());
  }
  if (stem.ends_with(".csv")) stem.resize(stem.size() - 4);
  std::error_code error;
  const std::string file = stem + suffix;
  return path != "-" && std::filesystem::is_regular_file(file, error) ? file : "";
}

/// A file of features that was named, or lies beside and says something.
struct FeatureFile {
  std::string path;
  Tensor rows;
  bool found() const { return !rows.shape.empty(); }
};

FeatureFile find_features(const ImportOptions& o, const std::string& named, const char* suffix,
                          const Imported& data) {
  FeatureFile file{named, {}};
  if (named.empty() && data.layout.format->padded) {
    file.path = file_beside(o.events, suffix);
  }
  if (file.path.empty()) return file;
  file.rows = read_feature_file(file.path);
  if (!named.empty() || !is_all_zero(file.rows)) return file;
  log_info(file.path, ": all features are 0, which says nothing: left out");
  return {file.path, {}};
}

/// Fails (bad_input) if the idx of events do not number the rows of a file without padding.
void check_idx_in_order(const EventTable& table, const std::string& file,
                        const std::string& events) {
  for (std::size_t e = 1; e < table.rows.size(); ++e) {
    if (table.rows[e] == table.rows[0] + e) continue;
    fail(ExitStatus::bad_input, events, ": event ", e, " has idx ", table.rows[e], ", but ", file,
         " has no row of padding, so that its rows are in the order of events; expected ",
         table.rows.size() + 1, " rows, the first of padding");
  }
}

/// Adds the features of each event from the file: the row that its idx names, or the row at its
/// place. If the file has one row more than events, the first row is padding.
void add_edge_features(const ImportOptions& o, Dtype dtype, Imported& data) {
  const EventTable& table = data.table;
  const std::size_t events = table.size();
  const auto input_event = [&](std::size_t e) { return data.order.empty() ? e : data.order[e]; };
  FeatureFile file = find_features(o, o.edge_features, ".npy", data);
  if (!file.found()) {
    if (!table.has_features()) return;
    data.edge_features = gather(table.features, "edge_features", events, dtype, input_event);
    return check_stored(data.edge_features, o.events);
  }
  const std::size_t rows = file.rows.shape[0];
  const bool padded = data.layout.format->padded && rows == events + 1;
  if (rows != events && !padded) {
    fail(ExitStatus::bad_input, file.path, ": has ", format_count(rows, "row"), ", expected ",
         events, data.layout.format->padded ? " (or a row of padding more)" : "",
         ", one for each event of ", o.events);
  }
  if (!padded && data.layout.format->padded) check_idx_in_order(table, file.path, o.events);
  const bool by_idx = padded && !table.rows.empty();
  const auto row_of = [&](std::size_t e) {
    return by_idx ? std::size_t{table.rows[input_event(e)]} : input_event(e) + (padded ? 1 : 0);
  };
  for (std::size_t e = 0; by_idx && e < events; ++e) {
    if (row_of(e) < rows) continue;
    fail(ExitStatus::bad_input, o.events, ": event ", e, " has idx ", row_of(e), ", expected 0 to ",
         rows - 1, ", the rows of ", file.path);
  }
  data.edge_features = gather(file.rows, "edge_features", events, dtype, row_of);
  check_stored(data.edge_features, file.path);
}

void add_node_features(const ImportOptions& o, Dtype dtype, Imported& data) {
  FeatureFile file = find_features(o, o.node_features, "_node.npy", data);
  if (!file.found()) return;
  const std::size_t padding = data.layout.format->padded ? 1 : 0;
  const std::size_t rows = file.rows.shape[0] - padding;  // no file has none
  if (rows < data.kinds.num_nodes || (o.nodes != 0 && rows != o.nodes)) {
    fail(ExitStatus::bad_input, file.path, ": has rows for ", format_count(rows, "node"),
         padding != 0 ? " behind the first" : "", ", expected ",
         std::max<std::size_t>(o.nodes, data.kinds.num_nodes));
  }
  data.kinds.num_nodes = rows;
  data.node_features =
      gather(file.rows, "node_features", rows, dtype, [&](std::size_t v) { return v + padding; });
  check_stored(data.node_features, file.path);
}

void add_names(Imported& data) {
  const NodeNames& sources = data.table.source_names;
  if (sources.size() == 0) return;
  data.name_offsets = sources.offsets();
  data.names = sources.bytes();
  const NodeNames& others = data.table.destination_names;
  const std::uint64_t bytes = data.names.size();
  for (std::size_t i = 1; i <= others.size(); ++i) {
    data.name_offsets.push_back(bytes + others.offsets()[i]);
  }
  data.names.insert(data.names.end(), others.bytes().begin(), others.bytes().end());
}

FeatureRows rows_of(const Tensor& tensor) {
  if (tensor.shape.empty()) return {};
  return {tensor.dtype, tensor.content().data(), static_cast<std::size_t>(tensor.shape[0]),
          static_cast<std::size_t>(tensor.shape[1])};
}

EventContent content_of(const Imported& data) {
  const EventTable& table = data.table;
  EventContent content;
  content.num_nodes = data.kinds.num_nodes;
  content.num_sources = data.kinds.num_sources;
  content.first_id = data.layout.first_id;
  content.sources = {table.sources.data(), table.sources.size()};
  content.destinations = {table.destinations.data(), table.destinations.size()};
  content.times = table.times();
  content.labels = {table.labels.data(), table.labels.size()};
  content.targets = {table.targets.data(), table.targets.size()};
  content.types = {table.types.data(), table.types.size()};
  content.edge_features = rows_of(data.edge_features);
  content.node_features = rows_of(data.node_features);
  content.name_offsets = data.name_offsets;
  content.names = data.names;
  return content;
}

std::uint64_t count_active(const EventContent& content) {
  std::vector<std::uint8_t> seen(content.num_nodes);
  for (const auto nodes : {content.sources, content.destinations}) {
    for (const NodeId v : nodes) seen[v] = 1;
  }
  return static_cast<std::uint64_t>(std::count(seen.begin(), seen.end(), 1));
}

template <class T>
void report_times(std::span<const T> times, ImportReport& report) {
  report.distinct_times = 1;
  for (std::size_t e = 1; e < times.size(); ++e) report.distinct_times += times[e] != times[e - 1];
  report.first_time = static_cast<double>(times.front());
  report.last_time = static_cast<double>(times.back());
  if (!report.whole_times) return;
  report.first_whole = static_cast<std::int64_t>(times.front());
  report.last_whole = static_cast<std::int64_t>(times.back());
}

ImportReport report_of(const Imported& data, const EventContent& content) {
  ImportReport report;
  report.format = data.layout.format->name;
  report.nodes = content.num_nodes;
  report.sources = content.num_sources;
  report.active_nodes = count_active(content);
  report.shifted = data.kinds.shifted;
  report.first_id = content.first_id;
  report.names = data.layout.names;
  report.dates = data.layout.times == TimeForm::date;
  report.missing_features = data.table.missing;
  report.events = content.num_events();
  report.label_type = data.layout.labels;
  report.classes = data.table.classes.size();
  report.types = data.table.type_names.size();
  report.no_classes = data.table.no_classes;
  report.labelled = static_cast<std::uint64_t>(
      std::count(content.labels.begin(), content.labels.end(), std::uint8_t{1}) +
      std::count_if(content.targets.begin(), content.targets.end(),
                    [](float target) { return !std::isnan(target); }));
  report.sorted = !data.order.empty();
  report.whole_times = content.times.is_whole();
  report.whole_times ? report_times(content.times.whole(), report)
                     : report_times(content.times.real(), report);
  report.edge_features = content.edge_features.dim;
  report.node_features = content.node_features.dim;
  return report;
}

}  // namespace

ImportReport import_events(const ImportOptions& o, const ImportProgress& progress) {
  check_options(o);
  const Dtype dtype = imported_dtype(o.feature_type);
  Imported data;
  read_table(o, progress, data);
  find_order(data);
  progress("features", 0);
  add_edge_features(o, dtype, data);
  add_node_features(o, dtype, data);
  if (dtype != Dtype::f32 && data.edge_features.shape.empty() && data.node_features.shape.empty()) {
    fail(ExitStatus::usage, "--feature-type goes with features, and ", o.events, " has none");
  }
  data.table.features = {};
  reorder(data.order, data.table.sources);
  reorder(data.order, data.table.destinations);
  reorder(data.order, data.table.whole);
  reorder(data.order, data.table.real);
  reorder(data.order, data.table.labels);
  reorder(data.order, data.table.targets);
  reorder(data.order, data.table.types);
  add_names(data);
  EventContent content = content_of(data);
  check_num_nodes(content, o.events);
  ImportReport report = report_of(data, content);
  // Some formats always have the column.
  if (report.labelled == 0 && !data.layout.names_label) content.labels = {};
  if (report.labelled == 0 && o.layout.labels != LabelType::binary) {
    fail(ExitStatus::bad_input, o.events,
         ": no event has a label, expected a column label for "
         "--label-type, or --columns NAME:label");
  }
  add_header_names(kClassesKey, data.table.classes, content.metadata);
  add_header_names(kTypesKey, data.table.type_names, content.metadata);
  const auto type = data.layout.type;
  if (type && *type < data.layout.header.size() && !data.layout.header[*type].empty()) {
    content.metadata[kTypeColumnKey] = data.layout.header[*type];
  }
  content.metadata["tgn.format"] = data.layout.format->json ? "csv" : report.format;
  if (report.shifted) content.metadata[kShiftedKey] = "true";
  if (report.dates) content.metadata[kDatesKey] = "true";
  add_header_names(kColumnsKey, data.layout.role_names(), content.metadata);
  if (o.edge_features.empty()) {
    add_header_names(kFeaturesKey, data.layout.feature_names(), content.metadata);
  }
  append_history(content.metadata, o.history_entry);
  progress("writing", 0);
  TensorWriteOptions output;
  save_events(o.output, content, output);
  return report;
}

}  // namespace frugal::tgn
