#include "tools/tgn-train/making/generate.h"

#include <algorithm>
#include <string>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/system/limits.h"
#include "tools/tgn-train/data/event_generator.h"

namespace frugal::tgn {
namespace {

constexpr EventShape kShapes[] = {
    {.name = "small",
     .description = "1,000 users, 200 items, 20,000 events with 16 features each",
     .nodes = 1200,
     .sources = 1000,
     .events = 20000,
     .duration = 1000000,
     .features = 16,
     .exponent = 2.2,
     .recurrence = 0.7},
    // 18,257 pairs of a user and a page, so that 88 % of the events repeat one.
    {.name = "wikipedia",
     .description =
         "as JODIE's Wikipedia, 8,227 users, 1,000 pages, 157,474 edits with 172 features each",
     .nodes = 9227,
     .sources = 8227,
     .events = 157474,
     .duration = 2678374,
     .features = 172,
     .exponent = 2.2,
     .recurrence = 0.85},
    // The study of 2022: follows, which do not repeat.
    {.name = "twitter",
     .description = "15.5 million users, 261 million follows at 728 times, no features",
     .nodes = 15500000,
     .sources = 0,
     .events = 261000000,
     .distinct_times = 728,
     .duration = 728,
     .features = 0,
     .exponent = 2.3,
     .recurrence = 0},
};

}  // namespace

std::span<const EventShape> event_shapes() { return kShapes; }

const EventShape& event_shape(std::string_view name) {
  std::vector<std::string> names;
  for (const EventShape& shape : kShapes) {
    if (shape.name == name) return shape;
    names.emplace_back(shape.name);
  }
  fail(ExitStatus::usage, "--shape is '", printable(name), "', expected ", joined(names),
       did_you_mean(name, names));
}

namespace {

std::uint64_t scaled(std::uint64_t number, double scale, std::uint64_t least) {
  if (number == 0) return 0;
  return std::max(least, static_cast<std::uint64_t>(static_cast<double>(number) / scale));
}

std::uint64_t number_or(std::int64_t given, std::uint64_t standard) {
  return given < 0 ? standard : static_cast<std::uint64_t>(given);
}

void check(const GeneratorOptions& o) {
  const auto refuse = [](const char* option, std::uint64_t found, std::uint64_t least,
                         std::uint64_t most) {
    if (found >= least && found <= most) return;
    fail(ExitStatus::usage, option, " is ", found, ", expected ", least, " to ", most);
  };
  refuse("--nodes", o.nodes, 2, kMostNodes);
  refuse("--sources", o.sources, 0, o.nodes - 1);
  refuse("--events", o.events, 1, kMostEvents);
  refuse("--distinct-times", o.distinct_times, 0, o.events);
  refuse("--duration", o.duration, std::max<std::uint64_t>(o.distinct_times, 1),
         std::uint64_t{1} << 62);
  if (!(o.exponent > 1)) {
    fail(ExitStatus::usage, "--exponent is ", format_number(o.exponent), ", expected above 1");
  }
}

GeneratorOptions generator_options(const GenerateOptions& o) {
  const EventShape& shape = event_shape(o.shape);
  GeneratorOptions options;
  options.nodes = number_or(o.nodes, scaled(shape.nodes, o.scale, 4));
  const std::uint64_t sources = scaled(shape.sources, o.scale, 2);
  options.sources = number_or(o.sources, std::min(sources, options.nodes - 1));
  options.events = number_or(o.events, scaled(shape.events, o.scale, 1));
  options.distinct_times =
      number_or(o.distinct_times, std::min(shape.distinct_times, options.events));
  options.duration = number_or(o.duration, std::max(shape.duration, options.distinct_times));
  options.exponent = o.exponent < 0 ? shape.exponent : o.exponent;
  options.recurrence = o.recurrence < 0 ? shape.recurrence : o.recurrence;
  options.features = number_or(o.features, shape.features);
  options.types = o.types;
  options.seed = o.seed;
  check(options);
  return options;
}

Dtype feature_dtype(const std::string& name) {
  if (name == "f32") return Dtype::f32;
  if (name == "f16") return Dtype::f16;
  if (name == "bf16") return Dtype::bf16;
  fail(ExitStatus::usage, "--feature-type is '", printable(name), "', expected f32, f16 or bf16");
}

template <class T>
std::span<T> as_span(std::span<std::byte> bytes) {
  return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
}

/// Counts the times that differ from those before them.
class TimeCounter {
 public:
  void add(std::span<const std::int64_t> times) {
    for (const std::int64_t time : times) {
      distinct_ += time != last_;
      last_ = time;
    }
  }
  std::uint64_t distinct() const { return distinct_; }

 private:
  std::int64_t last_ = -1;
  std::uint64_t distinct_ = 0;
};

Metadata metadata_of(const GenerateOptions& o, const GeneratorOptions& made) {
  Metadata metadata;
  metadata["generate.shape"] = o.shape;
  metadata["generate.seed"] = std::to_string(o.seed);
  metadata["generate.exponent"] = format_number(made.exponent);
  metadata["generate.recurrence"] = format_number(made.recurrence);
  append_history(metadata, o.history_entry);
  return metadata;
}

}  // namespace

GenerateResult generate(const GenerateOptions& o, const GenerateProgress& progress) {
  const GeneratorOptions options = generator_options(o);
  const Dtype dtype = feature_dtype(o.feature_type);
  if (options.recurrence > 0) {
    check_memory("the last partners of " + format_count(options.nodes, "node"),
                 options.nodes * 20 * std::max<std::uint64_t>(1, options.types));
  }
  EventGenerator generator(options);
  TimeCounter times;
  const std::uint64_t all =
      options.events * ((options.features == 0 ? 3 : 4) + (options.types == 0 ? 0 : 1));
  std::uint64_t done = 0;
  std::vector<float> rows;
  EventFiller filler{options.events, dtype, options.features, options.types != 0, {}};
  filler.fill = [&](const std::string& tensor, std::uint64_t begin, std::uint64_t end,
                    std::span<std::byte> to) {
    if (tensor == "times") {
      generator.times(begin, as_span<std::int64_t>(to));
      times.add(as_span<std::int64_t>(to));
    } else if (tensor == "sources") {
      generator.sources(begin, as_span<NodeId>(to));
    } else if (tensor == "destinations") {
      generator.destinations(begin, as_span<NodeId>(to));
    } else if (tensor == "types") {
      generator.types(begin, as_span<std::uint16_t>(to));
    } else {
      rows.resize((end - begin) * options.features);
      generator.features(begin, rows);
      store_features(rows.data(), rows.size(), dtype, to.data());
    }
    progress(done += end - begin, all);
  };
  EventContent content;
  content.num_nodes = options.nodes;
  content.num_sources = options.sources;
  content.metadata = metadata_of(o, options);
  HeaderNames types;
  for (std::uint64_t type = 0; type < options.types; ++type) types.push_back(std::to_string(type));
  add_header_names(kTypesKey, types, content.metadata);
  TensorWriteOptions output;
  write_events(o.output, content, filler, output);
  return {options.nodes,         options.sources,  options.events, times.distinct(),
          generator.recurring(), options.features, options.types};
}

}  // namespace frugal::tgn
