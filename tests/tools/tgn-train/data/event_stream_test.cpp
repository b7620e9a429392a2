#include "tools/tgn-train/data/event_stream.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "tests/support/text_file.h"
#include "tools/tgn-train/data/event_file.h"
#include "tools/tgn-train/data/stream_fingerprint.h"

using namespace frugal;
using namespace frugal::tgn;

namespace {

using Floats = std::vector<float>;
using Ids = std::vector<std::uint32_t>;
using Times = std::vector<std::int64_t>;
using Reals = std::vector<double>;
using Bytes = std::vector<std::uint8_t>;

/// Users 0 and 1, items 2 to 4, with all that a stream may have.
Document small_stream() {
  Document document;
  document.metadata = {{"frugal.kind", "events"},
                       {"tgn.nodes", "5"},
                       {"tgn.events", "4"},
                       {"tgn.sources", "2"},
                       {"tgn.first_id", "1"}};
  const auto add = [&](Tensor tensor) { document.tensors.push_back(std::move(tensor)); };
  add(Tensor::copy_of<std::uint32_t>("sources", {4}, Ids{0, 1, 0, 1}));
  add(Tensor::copy_of<std::uint32_t>("destinations", {4}, Ids{2, 2, 4, 3}));
  add(Tensor::copy_of<std::int64_t>("times", {4}, Times{0, 5, 5, 9007199254740993}));
  add(Tensor::copy_of<std::uint8_t>("labels", {4}, Bytes{0, 0, 1, 0}));
  add(Tensor::copy_of<float>("edge_features", {4, 2}, Floats{1, 2, 3, 4, 5, 6, 7, 8}));
  add(Tensor::copy_of<float>("node_features", {5, 1}, Floats{9, 8, 7, 6, 5}));
  add(Tensor::copy_of<std::uint64_t>("names.offsets", {6},
                                     std::vector<std::uint64_t>{0, 1, 2, 4, 4, 5}));
  add(Tensor::copy_of<std::uint8_t>("names", {5}, Bytes{'a', 'b', 'c', 'd', 'e'}));
  return document;
}

/// The error of opening the small stream after `change`.
std::string error_after(const std::function<void(Document&)>& change) {
  Document document = small_stream();
  change(document);
  const TextFile file("", ".safetensors");
  write_document(file.path(), document);
  std::string error = error_of([&] { EventStream stream(file.path()); });
  const std::size_t at = error.find(file.path());
  if (at != std::string::npos) error.replace(at, file.path().size(), "FILE");
  return error;
}

template <class T>
std::string error_with(const char* name, const std::vector<T>& values) {
  return error_after([&](Document& document) {
    document.at(name) = Tensor::copy_of<T>(name, {values.size()}, values);
  });
}

void check_small(const EventStream& stream) {
  REQUIRE(stream.num_events() == 4);
  CHECK(stream.num_nodes() == 5);
  CHECK(stream.num_sources() == 2);
  CHECK(stream.bipartite());
  CHECK(stream.sources()[3] == 1);
  CHECK(stream.destinations()[2] == 4);
  CHECK(stream.times().is_whole());
  CHECK(stream.times().whole()[3] == 9007199254740993);
  CHECK(stream.labels()[2] == 1);
  CHECK(stream.first_id() == 1);
  REQUIRE(stream.has_names());
  CHECK(stream.name(2) == "cd");
  CHECK(stream.name(3).empty());
  float row[2] = {};
  stream.edge_features().read(2, row);
  CHECK(row[0] == 5);
  CHECK(row[1] == 6);
  CHECK(stream.node_features().rows == 5);
}

/// The fingerprint of the first events of the small stream with these features of its nodes.
std::string fingerprint_with(const Floats& features, EventId events) {
  Document document = small_stream();
  document.at("node_features") = Tensor::copy_of<float>("node_features", {5, 1}, features);
  const TextFile file("", ".safetensors");
  write_document(file.path(), document);
  return prefix_fingerprint(EventStream(file.path()), events);
}

}  // namespace

TEST_CASE("a fingerprint of events knows the features of their nodes, and of no others") {
  const Floats known = {9, 8, 7, 6, 5}, other_user = {9, 1, 7, 6, 5};
  CHECK(fingerprint_with(known, 1) == fingerprint_with(other_user, 1));
  CHECK(fingerprint_with(known, 2) != fingerprint_with(other_user, 2));
  CHECK(fingerprint_with(known, 2) == fingerprint_with(known, 2));
  CHECK(fingerprint_with(known, 3) == fingerprint_with({9, 8, 7, 1, 5}, 3));
  CHECK(fingerprint_with(known, 3) != fingerprint_with({9, 8, 7, 6, 1}, 3));
}

TEST_CASE("A stream is read as it was written, mapped or packed") {
  for (const char* suffix : {".safetensors", ".safetensors.zst"}) {
    const TextFile file("", suffix);
    write_document(file.path(), small_stream());
    const EventStream stream(file.path());
    check_small(stream);
    const TextFile again("", suffix);
    save_events(again.path(), view_events(small_stream(), "small"));
    check_small(EventStream(again.path()));
  }
}

TEST_CASE("Features of two bytes are read as floats") {
  const Floats values{0.5F, -3, 65504, 1e-7F};
  for (const Dtype dtype : {Dtype::f16, Dtype::bf16, Dtype::f32}) {
    std::vector<std::byte> bytes(values.size() * item_size(dtype));
    store_features(values.data(), values.size(), dtype, bytes.data());
    const FeatureRows rows{dtype, bytes.data(), 2, 2};
    float row[2] = {};
    rows.read(1, row);
    CHECK(row[0] == doctest::Approx(65504).epsilon(0.004));
    CHECK(rows.is_finite(0));
    CHECK(rows.is_finite(1));
    store_features(Floats{65504, INFINITY}.data(), 2, dtype, bytes.data());
    CHECK_FALSE(rows.is_finite(0));
  }
}

TEST_CASE("Times are exact, between any two and from the beginning") {
  const Times whole{3, 9007199254740993, 9007199254740994,
                    std::numeric_limits<std::int64_t>::max()};
  const EventTimes times{std::span<const std::int64_t>(whole)};
  CHECK(times.between(1, 2) == 1);
  CHECK(times.between(kNoEvent, 1) == 9007199254740990);
  CHECK(times.between(2, 1) == -1);
  const Reals reals{1.5, 1.75};
  CHECK(EventTimes(std::span<const double>(reals)).between(0, 1) == 0.25);
}

TEST_CASE("The first event of a time is found in runs of any length") {
  Times times;
  for (int run = 1; run <= 40; ++run) times.insert(times.end(), static_cast<std::size_t>(run), run);
  const EventTimes view{std::span<const std::int64_t>(times)};
  for (EventId e = 0; e < times.size(); ++e) {
    EventId first = e;
    while (first > 0 && times[first - 1] == times[e]) --first;
    REQUIRE(view.first_at_time_of(e) == first);
  }
}

TEST_CASE("Nodes out of range are named with tensor and event") {
  CHECK(error_with<std::uint32_t>("sources", {0, 1, 2, 1}) ==
        "65 FILE: tensor 'sources': event 2 has node 2, expected 0 to 1");
  CHECK(error_with<std::uint32_t>("destinations", {2, 1, 4, 3}) ==
        "65 FILE: tensor 'destinations': event 1 has node 1, expected 2 to 4");
  CHECK(error_with<std::uint32_t>("destinations", {2, 2, 2, 5}) ==
        "65 FILE: tensor 'destinations': event 3 has node 5, expected 2 to 4");
}

TEST_CASE("Times that fall or are no numbers are refused, those before 0 are not") {
  CHECK(error_with<std::int64_t>("times", {0, 7, 6, 9}) ==
        "65 FILE: tensor 'times': event 2 is at 6, before event 1 at 7, expected times that never "
        "fall");
  CHECK(error_with<std::int64_t>("times", {-3, 7, 7, 9}) == "no error");
  CHECK(error_with<double>("times", {0, 0.5, std::nan(""), 9}) ==
        "65 FILE: tensor 'times': event 2 is at nan, expected "
        "-9223372036854775808 to 9223372036854775808");
  CHECK(error_with<double>("times", {0, 0.5, 1, INFINITY}).find("event 3 is at inf") !=
        std::string::npos);
  CHECK(error_with<double>("times", {0, 0.5, 1, 1e19}).find("event 3 is at 1e+19") !=
        std::string::npos);
  CHECK(error_with<double>("times", {0, 0.5, 0.25, 1}).find("event 2 is at 0.25, before event 1") !=
        std::string::npos);
}

TEST_CASE("Labels and features are numbers") {
  CHECK(error_with<std::uint8_t>("labels", {0, 1, 2, 0}) ==
        "65 FILE: tensor 'labels': event 2 has 2, expected 0 or 1");
  CHECK(error_after([](Document& d) { d.at("edge_features").as<float>()[5] = INFINITY; }) ==
        "65 FILE: tensor 'edge_features': event 2 has a feature that is not finite, expected "
        "numbers");
  CHECK(error_after([](Document& d) { d.at("node_features").as<float>()[4] = std::nanf(""); }) ==
        "65 FILE: tensor 'node_features': node 4 has a feature that is not finite, expected "
        "numbers");
}

TEST_CASE("Tensors of other types and shapes are refused") {
  CHECK(error_with<std::uint32_t>("destinations", {2, 2, 4}) ==
        "65 FILE: tensor 'destinations' is U32 [3], expected U32 [4]");
  CHECK(error_with<float>("times", {0, 1, 2, 3}) ==
        "65 FILE: tensor 'times' is F32 [4], expected I64 or F64 [4], as many as sources");
  CHECK(error_with<std::int64_t>("sources", {0, 1, 0, 1}) ==
        "65 FILE: tensor 'sources' is I64 [4], expected U32 of one axis");
  CHECK(error_with<std::uint32_t>("labels", {0, 1, 0, 1}) ==
        "65 FILE: tensor 'labels' is U32 [4], expected U8 [4]");
  CHECK(error_after([](Document& d) {
          d.at("edge_features").shape = {8, 1};
        }) ==
        "65 FILE: tensor 'edge_features' is F32 [8, 1], expected F32, F16 or BF16 [4, features]");
  CHECK(error_with<double>("node_features", {0, 1, 0, 1, 2})
            .find("expected F32, F16 or BF16 [5, features]") != std::string::npos);
  CHECK(error_with<std::uint64_t>("names.offsets", {0, 1, 2, 4, 3, 5}) ==
        "65 FILE: tensor 'names.offsets' does not ascend from 0 to the 5 bytes of names");
  CHECK(error_with<std::int8_t>("names", {97, 98, 99, 100, 101}) ==
        "65 FILE: tensor 'names' is I8 [5], expected U8 of one axis");
  CHECK(error_after([](Document& d) {
          d.at("names").shape = {5, 1};
        }) == "65 FILE: tensor 'names' is U8 [5, 1], expected U8 of one axis");
  CHECK(error_with<std::uint32_t>("sources", {}) ==
        "65 FILE: has 0 events, expected 1 to 4294967294");
  for (const char* name : {"sources", "destinations", "times", "names"}) {
    const std::string error = error_after([&](Document& d) { d.at(name).name = "other"; });
    CHECK(error == std::string("65 FILE: no tensor '") + name + "', expected a stream of events");
  }
}

TEST_CASE("Nodes that outnumber the events beyond reason are refused") {
  const auto claiming = [](const char* nodes) {
    return error_after([&](Document& d) {
      d.metadata["tgn.nodes"] = nodes;
      std::erase_if(d.tensors, [](const Tensor& tensor) {
        return tensor.name == "node_features" || tensor.name.starts_with("names");
      });
    });
  };
  CHECK(claiming("16777216") == "no error");
  CHECK(claiming("268435456") ==
        "65 FILE: has 268435456 nodes and 4 events, expected at most 2000 nodes an event; import "
        "--ids any numbers nodes as they come");
}

TEST_CASE("Metadata that do not fit are refused") {
  const auto with = [](const char* key, const char* value) {
    return error_after([&](Document& d) { d.metadata[key] = value; });
  };
  CHECK(with("tgn.nodes", "many") ==
        "65 FILE: metadata 'tgn.nodes' is 'many', expected a number from 0 to 4294967294");
  CHECK(with("tgn.nodes", "4") == "65 FILE: tensor 'names.offsets' is U64 [6], expected U64 [5]");
  CHECK(with("tgn.sources", "6") ==
        "65 FILE: metadata 'tgn.sources' is '6', expected a number from 0 to 5");
  CHECK(with("tgn.events", "3") ==
        "65 FILE: metadata tgn.events is 3, expected 4, as many as there are sources");
  CHECK(error_after([](Document& d) { d.metadata.erase("tgn.nodes"); }) ==
        "65 FILE: metadata 'tgn.nodes' is missing");
  CHECK(with("frugal.kind", "graph") ==
        "65 FILE: found a file of kind 'graph', expected a stream of events as tgn-train import or "
        "generate writes");
}

TEST_CASE("A stream takes the numbers of given edge types if these include all of its own") {
  Document document = small_stream();
  const std::vector<std::uint16_t> types = {1, 0, 1, 1};
  document.tensors.push_back(Tensor::copy_of<std::uint16_t>("types", {4}, types));
  document.metadata["tgn.types"] = R"(["a","c"])";
  const TextFile file("", ".safetensors"), untyped("", ".safetensors");
  write_document(file.path(), document);
  write_document(untyped.path(), small_stream());
  const HeaderNames wanted = {"c", "b", "a"};
  const EventStream stream(file.path(), wanted), own(file.path(), {"a", "b"});
  CHECK(stream.type_names() == wanted);
  const auto given = stream.types(), kept = own.types();
  CHECK(std::vector<std::uint16_t>(given.begin(), given.end()) ==
        std::vector<std::uint16_t>{0, 2, 0, 0});
  REQUIRE(stream.edge_features().width() == 5);
  float row[5] = {};
  stream.edge_features().read(1, row);
  CHECK(Floats(row, row + 5) == Floats{3, 4, 0, 0, 1});
  CHECK(own.type_names() == HeaderNames{"a", "c"});
  CHECK(std::vector<std::uint16_t>(kept.begin(), kept.end()) == types);
  CHECK(EventStream(untyped.path(), wanted).type_names().empty());
  CHECK(prefix_fingerprint(stream, 4) == prefix_fingerprint(own, 4));
}

TEST_CASE("Edge types are columns after the features, and what is none is refused") {
  const auto add_types = [](Document& document, const std::vector<std::uint16_t>& types,
                            const char* names) {
    document.tensors.push_back(Tensor::copy_of<std::uint16_t>("types", {types.size()}, types));
    if (names != nullptr) document.metadata["tgn.types"] = names;
  };
  Document document = small_stream();
  add_types(document, {1, 0, 2, 1}, R"(["a","b","c"])");
  const TextFile file("", ".safetensors"), untyped("", ".safetensors"), other("", ".safetensors");
  write_document(file.path(), document);
  const EventStream stream(file.path());
  CHECK(stream.type_names() == HeaderNames{"a", "b", "c"});
  REQUIRE(stream.edge_features().width() == 5);
  float row[5] = {};
  stream.edge_features().read(2, row);
  CHECK(Floats(row, row + 5) == Floats{5, 6, 0, 0, 1});
  CHECK(stream.edge_features().without_types().width() == 2);
  write_document(untyped.path(), small_stream());
  document.tensors.pop_back();
  add_types(document, {1, 0, 2, 0}, nullptr);
  write_document(other.path(), document);
  for (const TextFile* const changed : {&untyped, &other}) {
    CHECK(stream_fingerprint(stream) != stream_fingerprint(EventStream(changed->path())));
    CHECK(prefix_fingerprint(stream, 4) != prefix_fingerprint(EventStream(changed->path()), 4));
  }
  CHECK(prefix_fingerprint(stream, 3) == prefix_fingerprint(EventStream(other.path()), 3));
  document.metadata["tgn.types"] = R"(["a","b","d"])";
  write_document(other.path(), document);
  CHECK(prefix_fingerprint(stream, 2) == prefix_fingerprint(EventStream(other.path()), 2));
  CHECK(prefix_fingerprint(stream, 3) != prefix_fingerprint(EventStream(other.path()), 3));
  const auto error = [&](const std::vector<std::uint16_t>& types, const char* names) {
    return error_after([&](Document& changed) { add_types(changed, types, names); });
  };
  CHECK(error({1, 0, 3, 1}, R"(["a","b","c"])") ==
        "65 FILE: tensor 'types': event 2 has type 3, expected 0 to 2");
  CHECK(error({1, 0, 2}, R"(["a","b","c"])") ==
        "65 FILE: tensor 'types' is U16 [3], expected U16 [4]");
  CHECK(error({0, 0, 0, 0}, R"(["a","b","a"])") ==
        "65 FILE: metadata tgn.types names 'a' twice, expected each edge type once");
  CHECK(
      error({0, 0, 0, 0}, nullptr) ==
      "65 FILE: metadata tgn.types names 0 edge types, expected 1 to 65535 for the tensor 'types'");
  CHECK(error_after([](Document& changed) { changed.metadata["tgn.types"] = R"(["a"])"; }) ==
        "65 FILE: metadata tgn.types names 1 edge types, expected a tensor 'types' or no names");
}
