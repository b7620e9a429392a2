#include "tools/tgn-train/serve/embed.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/arrays/row_file.h"
#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/graph/temporal_csr.h"
#include "libcore/streams/line_reader.h"
#include "libcore/system/clock.h"
#include "libcore/system/output_file.h"
#include "tools/tgn-train/data/event_parser.h"
#include "tools/tgn-train/data/event_stream.h"
#include "tools/tgn-train/data/event_view.h"
#include "tools/tgn-train/data/live_nodes.h"
#include "tools/tgn-train/model/model_file.h"

namespace frugal::tgn {
namespace {

/// Finds nodes by what the input of `import` called them.
class NodeNumbers {
 public:
  /// kind: auto, source or destination. The stream outlives it.
  NodeNumbers(const EventStream& stream, std::string kind)
      : stream_(stream), kind_(std::move(kind)), nodes_(stream) {}

  /// Fails (bad_input), without a place, where no node is called so, or one of each kind.
  NodeId find(std::string_view text) const;

 private:
  std::optional<NodeId> find(std::string_view name, bool as_destination) const {
    const bool may_be = kind_ == "auto" || (kind_ == "destination") == as_destination;
    return may_be ? nodes_.find(name, as_destination) : std::nullopt;
  }

  const EventStream& stream_;
  std::string kind_;
  LiveNodes nodes_;
};

NodeId NodeNumbers::find(std::string_view text) const {
  const NodeNaming& naming = nodes_.naming();
  const auto number = naming.names ? std::nullopt : parse_whole(text);
  const std::string name = number ? std::to_string(*number) : std::string(text);
  if (!naming.own_ids) {
    if (const auto node = nodes_.find(name, false)) return *node;
  } else {
    const auto source = find(name, false), destination = find(name, true);
    if (source && destination) {
      fail(ExitStatus::bad_input, "'", printable(text),
           "' is a source and a destination, which are two nodes of ", stream_.path(),
           "; --kind says which is meant");
    }
    if (source || destination) return source ? *source : *destination;
  }
  if (naming.names || naming.own_ids) {
    fail(ExitStatus::bad_input, "'", printable(text), "' is no ",
         kind_ == "auto" ? "node" : kind_.c_str(), " of ", stream_.path());
  }
  const std::uint64_t first = stream_.first_id();
  fail(ExitStatus::bad_input, "'", printable(text), "' is no node, expected a number from ", first,
       " to ", first + stream_.num_nodes() - 1);
}

/// "1082040961", "36.5" or, of dates, "2024-02-29" as a time of that stream; fails (bad_input),
/// without a place, where it is none.
EventTime parse_time(std::string_view text, const EventStream& stream) {
  if (stream.has_dates()) {
    const TextTime time = parse_date_time(text);
    return {time.whole, time.value()};
  }
  if (stream.times().is_whole()) {
    if (const auto whole = parse_whole(text)) return {*whole, 0};
    fail(ExitStatus::bad_input, "'", printable(text),
         "' is no time of this stream, expected a whole number");
  }
  if (const auto real = parse_finite<double>(text)) return {0, *real};
  fail(ExitStatus::bad_input, "'", printable(text), "' is no time, expected a number");
}

using NodeQuery = StepPlanner::NodeQuery;

constexpr std::size_t kQueries = 1024;  ///< embedded at a time

NodeQuery parse_query(std::string_view line, const NodeNumbers& numbers, const EventStream& stream,
                      EventTime otherwise) {
  const std::size_t comma = line.find(',');
  NodeQuery query{numbers.find(trim(line.substr(0, comma))), otherwise};
  if (comma != std::string_view::npos)
    query.time = parse_time(trim(line.substr(comma + 1)), stream);
  return query;
}

std::vector<NodeQuery> read_queries(const EmbedOptions& o, const EventStream& stream) {
  const EventTimes& times = stream.times();
  EventTime at = times.at(static_cast<EventId>(stream.num_events() - 1));
  try {
    if (!o.at.empty()) at = parse_time(o.at, stream);
  } catch (const Error& error) {
    fail(ExitStatus::usage, "--at: ", error.what());
  }
  std::vector<NodeQuery> queries;
  if (o.nodes.empty()) {
    for (std::size_t v = 0; v < stream.num_nodes(); ++v) {
      queries.push_back({static_cast<NodeId>(v), at});
    }
    return queries;
  }
  const NodeNumbers numbers(stream, o.kind);
  LineReader reader(o.nodes);
  std::string_view line;
  while (reader.next(line)) {
    if (trim(line).empty()) continue;
    try {
      queries.push_back(parse_query(line, numbers, stream, at));
    } catch (const Error& error) {
      fail(error.status(), reader.place(), ": ", error.what());
    }
  }
  if (queries.empty()) fail(ExitStatus::bad_input, o.nodes, ": no nodes");
  return queries;
}

bool is_earlier(EventTime a, EventTime b, bool whole) {
  return whole ? a.whole < b.whole : a.real < b.real;
}

/// The memory's way through the stream, with stops where nodes are asked for.
class EmbedRun {
 public:
  /// trained: what memory goes on from behind training; null: weights make it of all events.
  EmbedRun(StreamSession& session, const EventView& events, std::size_t batch,
           const TrainedMemory* trained)
      : session_(session), events_(events), batch_(batch), trained_(trained) {
    session_.restart(Weights::fixed);
  }

  /// Queries in the order of their times; embeddings: a row for each.
  void embed(std::span<const NodeQuery> queries, MatrixView<float> embeddings,
             const std::function<void(double)>& progress);
  EventId passed() const { return next_; }
  bool memory_of_model() const { return memory_of_model_; }

 private:
  void pass(EventId end);

  StreamSession& session_;
  EventView events_;
  std::size_t batch_;
  const TrainedMemory* trained_;
  bool memory_of_model_ = false;
  EventId next_ = 0;
  StepPlan plan_;
  std::vector<EventId> batch_events_;
};

void EmbedRun::pass(EventId end) {
  if (trained_ != nullptr && next_ < trained_->events && end >= trained_->events) {
    trained_->give(session_);
    memory_of_model_ = true;
    next_ = trained_->events;
  }
  while (next_ < end) {
    const auto n = static_cast<EventId>(std::min<std::size_t>(batch_, end - next_));
    batch_events_.resize(n);
    std::iota(batch_events_.begin(), batch_events_.end(), next_);
    session_.learn(batch_events_, plan_);
    next_ += n;
  }
}

void EmbedRun::embed(std::span<const NodeQuery> queries, MatrixView<float> embeddings,
                     const std::function<void(double)>& progress) {
  for (std::size_t begin = 0; begin < queries.size();) {
    const EventId limit = events_.times.first_not_before(queries[begin].time);
    pass(limit);
    std::size_t end = begin + 1;
    while (end < queries.size() && end - begin < kQueries &&
           events_.times.first_not_before(queries[end].time) == limit) {
      ++end;
    }
    session_.planner().plan_nodes(queries.subspan(begin, end - begin), plan_);
    const MatrixView<const float> rows = session_.runner().embed(plan_, {});
    for (std::size_t r = begin; r < end; ++r) {
      std::copy_n(rows.row(r - begin), rows.cols, embeddings.row(r));
    }
    begin = end;
    progress(static_cast<double>(begin) / static_cast<double>(queries.size()));
  }
}

/// Adds the names that the nodes have in the input: `ids`, or `names` and `names.offsets` as in an
/// events file. If both kinds have ids of their own, adds `is_destination`, too.
void add_names(const std::vector<NodeQuery>& queries, const EventStream& stream,
               Document& document) {
  const NodeNaming naming = naming_of(stream);
  std::vector<std::int64_t> ids;
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::uint8_t> names, is_destination;
  for (const NodeQuery& query : queries) {
    const std::string name = node_name(stream, naming, query.node);
    is_destination.push_back(naming.own_ids && query.node >= stream.num_sources() ? 1 : 0);
    if (!naming.names) ids.push_back(parse_whole(name).value_or(0));
    names.insert(names.end(), name.begin(), name.end());
    offsets.push_back(names.size());
  }
  const auto add = [&]<class T>(const char* name, const std::vector<T>& values) {
    document.tensors.push_back(Tensor::copy_of<T>(name, {values.size()}, values));
  };
  if (naming.own_ids) add("is_destination", is_destination);
  if (!naming.names) return add("ids", ids);
  add("names.offsets", offsets);
  add("names", names);
}

void write_embeddings(const EmbedOptions& o, const std::vector<NodeQuery>& queries,
                      const EventStream& stream, Tensor&& embeddings) {
  const std::size_t n = queries.size();
  const bool whole = stream.times().is_whole();
  Document document;
  document.metadata["frugal.kind"] = "embeddings";
  document.metadata["frugal.tool"] = "tgn-train";
  document.metadata["frugal.history"] = "[" + o.history_entry + "]";
  // As the numbers of predictions: other programs lack U32.
  Tensor nodes = Tensor::make("nodes", Dtype::i64, {n});
  Tensor times = Tensor::make("times", whole ? Dtype::i64 : Dtype::f64, {n});
  for (std::size_t r = 0; r < n; ++r) {
    nodes.as<std::int64_t>()[r] = queries[r].node;
    if (whole) {
      times.as<std::int64_t>()[r] = queries[r].time.whole;
    } else {
      times.as<double>()[r] = queries[r].time.real;
    }
  }
  document.tensors.push_back(std::move(nodes));
  document.tensors.push_back(std::move(times));
  document.tensors.push_back(std::move(embeddings));
  add_names(queries, stream, document);
  write_arrays(o.output, document);
}

}  // namespace

EmbedResult embed_nodes(const EmbedOptions& options,
                        const std::function<void(double share)>& progress) {
  const double began = wall_seconds();
  check_output(options.output);
  TgnModelFile stored = read_model(options.model, options.precision, options.place);
  stored.session.place = options.place;
  check_embeds_nodes(stored, options.model);
  const EventStream stream(options.events, stored.types);
  check_inputs(stored, stream, options.model);
  const EventView events{stream.sources(), stream.destinations(), stream.times(),
                         stream.num_nodes()};
  const std::vector<NodeQuery> asked = read_queries(options, stream);
  const TemporalCsr neighbors(events.sources, events.destinations, events.num_nodes);
  stored.session.pairs.reset();  // no embedding looks at them
  StreamSession session(*stored.model, events, neighbors,
                        {stream.edge_features(), stream.node_features()}, stored.session);
  session.compute_on({options.device, "tgn-train embed", stored.window}, std::nullopt);
  EmbedResult result;
  const double read = wall_seconds();
  result.read_seconds = read - began;
  const bool whole = stream.times().is_whole();
  std::vector<std::size_t> order(asked.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return is_earlier(asked[a].time, asked[b].time, whole);
  });
  std::vector<NodeQuery> sorted;
  for (const std::size_t i : order) sorted.push_back(asked[i]);
  const std::size_t dim = stored.model->options().memory_dim;
  Array<float> rows(asked.size() * dim);
  EmbedRun run(session, events, stored.window, memory_for(stored, stream));
  run.embed(sorted, {rows.data(), asked.size(), dim}, progress);
  Tensor embeddings = Tensor::make("embeddings", Dtype::f32, {asked.size(), dim});
  for (std::size_t r = 0; r < order.size(); ++r) {
    std::copy_n(rows.data() + r * dim, dim, embeddings.as<float>().data() + order[r] * dim);
  }
  write_embeddings(options, asked, stream, std::move(embeddings));
  result.embeddings = asked.size();
  result.dim = dim;
  result.events = run.passed();
  result.memory_of_model = run.memory_of_model();
  result.seconds = wall_seconds() - read;
  return result;
}

}  // namespace frugal::tgn
