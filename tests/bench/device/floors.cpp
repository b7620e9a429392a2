// Measures how near each operation of a device comes to its floor: operations that move bytes
// beside a copy of 1 GiB, products beside one of 8192 x 8192 x 8192 numbers. Prints the device,
// then a line an operation: name, microseconds, rate, share of the floor. Data are random. Operands
// that fit the cache of the device stay there from round to round, as between kernels of an engine.
//   device_floors [ROUNDS]   FRUGAL_TEST_PLUGINS: the folder of the plug-in, else that of the
//   tests,
//                            whose sizes are small
#include <algorithm>
#include <cstdio>
#include <numeric>

#include "libcore/embedding/embedding_engine.h"
#include "libcore/embedding/embedding_methods.h"
#include "tests/libcore/device/suite_runner.h"

using namespace frugal;
using namespace frugal::device_test;

namespace {

/// Numbers between -1 and 1; from 2^20 on they repeat.
std::vector<float> many_floats(std::size_t n, std::uint64_t seed) {
  const std::vector<float> some = random_floats(std::min(n, std::size_t{1} << 20), seed);
  std::vector<float> all(n);
  for (std::size_t i = 0; i < n; i += some.size()) {
    std::copy_n(some.begin(), std::min(some.size(), n - i), all.begin() + static_cast<long>(i));
  }
  return all;
}

class Floors {
 public:
  Floors(int rounds, std::size_t copied) : rounds_(rounds) {
    std::vector<float> in = many_floats(copied, 1), out(copied);
    const double seconds = time("copy", {}, {array("in", in)}, {array("out", out)});
    copy_rate_ = 2.0 * static_cast<double>(copied * sizeof(float)) / seconds;
    print("copy", seconds, copy_rate_ / 1e9, "GB/s", 1);
  }

  /// Seconds of an operation.
  double time(const char* operation, EngineSettings settings, const std::vector<EngineArray>& in,
              std::vector<EngineArray> out) {
    std::vector<double> seconds(1);
    settings.emplace_back("rounds", std::to_string(rounds_));
    out.push_back(array("seconds", seconds));
    suite_.run(operation, settings, in, out);
    return seconds[0];
  }
  /// Prints an operation that is limited by the bytes that it has to read and write.
  void moves(const std::string& name, double seconds, double bytes) const {
    print(name, seconds, bytes / seconds / 1e9, "GB/s", bytes / seconds / copy_rate_);
  }
  /// Prints an operation whose products take so many multiplications and additions.
  void computes(const std::string& name, double seconds, double operations) {
    const double rate = operations / seconds;
    if (product_rate_ == 0) product_rate_ = rate;
    print(name, seconds, rate / 1e12, "TFLOP/s", rate / product_rate_);
  }
  /// The next operation that computes() prints is the floor of those after it.
  void next_products() { product_rate_ = 0; }

 private:
  static void print(const std::string& name, double seconds, double rate, const char* unit,
                    double share) {
    std::printf("%-44s %10.1f us %10.1f %-8s %5.1f %%\n", name.c_str(), seconds * 1e6, rate, unit,
                100 * share);
  }

  Suite suite_;
  int rounds_;
  double copy_rate_ = 0, product_rate_ = 0;
};

struct ProductShape {
  std::size_t m, n, k;
};

/// A product in tiles, or by a library. Returns whether the library makes it.
bool measure_product(Floors& floors, const ProductShape& shape, const char* precision,
                     bool library) {
  const auto& [m, n, k] = shape;
  std::vector<float> a = many_floats(m * k, 1), b = many_floats(k * n, 2), c(m * n);
  const std::string name = std::string(library ? "cuBLASLt " : "multiply ") + precision + " " +
                           std::to_string(m) + " x " + std::to_string(n) + " x " +
                           std::to_string(k);
  try {
    const double seconds = floors.time("multiply",
                                       {{"m", std::to_string(m)},
                                        {"n", std::to_string(n)},
                                        {"k", std::to_string(k)},
                                        {"trans_a", "0"},
                                        {"trans_b", "0"},
                                        {"ones", "0"},
                                        {"beta", "0"},
                                        {"relu", "0"},
                                        {"precision", precision},
                                        {"library", library ? "1" : "0"}},
                                       {array("a", a), array("b", b)}, {array("c", c)});
    floors.computes(name, seconds, 2.0 * static_cast<double>(m * n * k));
  } catch (const Error& error) {
    if (!library) throw;
    std::printf("%s: %s\n", name.c_str(), error.what());
    return false;
  }
  return true;
}

/// The largest product, which is the floor of the others, then those of a network's layers.
void measure_products(Floors& floors, std::size_t smaller, const char* precision) {
  floors.next_products();
  const std::size_t large = 8192 / smaller;
  const bool library = measure_product(floors, {large, large, large}, precision, true);
  if (!library) measure_product(floors, {large, large, large}, precision, false);
  for (const bool by_library : {true, false}) {
    if (by_library && !library) continue;
    for (const std::size_t m : {16384U, 2048U, 600U}) {
      measure_product(floors, {m / smaller, 512 / smaller, 256 / smaller}, precision, by_library);
    }
  }
}

/// Rows of tables in one array of 26 fields, as Criteo's.
void measure_rows(Floors& floors, std::size_t samples, std::size_t dim) {
  const std::size_t fields = 26;
  std::vector<TableShape> shapes;
  for (std::size_t f = 0; f < fields; ++f) shapes.push_back({"t" + std::to_string(f), 1000000});
  const TableSet tables(shapes, dim);
  EmbeddingOptions options;
  options.compression = 1000;
  options.hash.block = dim;
  const auto embedding = make_embedding(tables, options, {});
  std::vector<std::uint32_t> rows(samples * fields);
  Rng rng(1);
  for (auto& row : rows) row = static_cast<std::uint32_t>(rng.below(1000000));
  std::vector<float> values = many_floats(rows.size() * dim, 2);
  const double bytes = static_cast<double>(values.size()) * sizeof(float);
  const auto with = [&](bool training) {
    const EngineEmbedding engine(*embedding, training);
    EngineSettings settings = engine.settings();
    settings.emplace_back("samples", std::to_string(samples));
    settings.emplace_back("rate", "0.01");
    for (const auto& [name, value] : EngineSettings{{"optimizer", "adagrad"},
                                                    {"epsilon", "1e-8"},
                                                    {"beta1", "0.9"},
                                                    {"beta2", "0.999"},
                                                    {"weight_decay", "0"}}) {
      settings.emplace_back(name, value);
    }
    std::vector<EngineArray> in = engine.arrays();
    in.push_back(array("rows", rows));
    if (training) in.push_back(array("gradient", values));
    return floors.time(
        training ? "page_step" : "look_up", settings, in,
        training ? std::vector<EngineArray>{} : std::vector<EngineArray>{array("out", values)});
  };
  const std::string size = std::to_string(samples) + " samples, dim " + std::to_string(dim);
  floors.moves("look_up " + size, with(false), 2 * bytes);
  floors.moves("page_step " + size, with(true), 5 * bytes);  // gradient, numbers, history
}

/// A softmax over many labels: logits twice, gradients of hidden units and of rows.
void measure_labels(Floors& floors, std::size_t labels, std::size_t examples,
                    const char* precision) {
  const std::size_t dim = 128;
  std::vector<std::uint32_t> n{static_cast<std::uint32_t>(examples)}, offsets(examples + 1),
      own(examples);
  std::iota(offsets.begin(), offsets.end(), 0U);
  for (std::size_t e = 0; e < examples; ++e) own[e] = static_cast<std::uint32_t>(e % labels);
  std::vector<float> hidden = many_floats(examples * dim, 1), rows = many_floats(labels * dim, 2);
  std::vector<double> losses(examples);
  std::vector<float> dhidden(hidden.size()), drows(rows.size());
  const double seconds =
      floors.time("label_output",
                  {{"labels", std::to_string(labels)},
                   {"dim", std::to_string(dim)},
                   {"block", "0"},
                   {"loss", "softmax"},
                   {"precision", precision}},
                  {array("n", n), array("hidden", hidden), array("rows", rows),
                   array("offsets", offsets), array("own", own)},
                  {array("losses", losses), array("dhidden", dhidden), array("drows", drows)});
  floors.computes("label_output " + std::string(precision) + " " + std::to_string(examples) +
                      " x " + std::to_string(labels) + " labels",
                  seconds, 8.0 * static_cast<double>(labels * examples * dim));
}

/// Rows of a batch of a temporal graph network with its usual sizes.
struct TemporalRows {
  explicit TemporalRows(std::size_t events)
      : queries(3 * events), entries(queries * kMost), below(many_floats(queries * kDim, 1)) {
    n[0] = static_cast<std::uint32_t>(queries);
    count[0] = static_cast<std::uint32_t>(entries);
    for (std::size_t q = 0; q <= queries; ++q) {
      offsets.push_back(static_cast<std::uint32_t>(q * kMost));
      for (const std::size_t number : {q, q, q, q}) {  // an update's slot is the last of four
        if (q < queries) updates.push_back(static_cast<std::uint32_t>(number));
      }
    }
    Rng rng(2);
    for (std::size_t i = 0; i < 2 * entries; ++i) {
      neighbors.push_back(static_cast<std::uint32_t>(rng.below(queries)));
    }
  }
  static constexpr std::size_t kDim = 172, kMost = 10, kHeads = 2;

  std::size_t queries, entries;
  std::vector<std::uint32_t> n{0}, count{0}, offsets, neighbors, updates;
  std::vector<float> below;
};

/// Attention over the newest neighbours of each query, whose gradients are added query by query.
void measure_attention(Floors& floors, TemporalRows& r, const std::string& size) {
  const std::size_t width = 3 * r.kDim, all = r.queries * r.kHeads;
  std::vector<std::uint32_t> key{1}, owner(r.entries), from(r.entries);
  std::iota(from.begin(), from.end(), 0U);
  std::vector<float> edges = r.below, times = many_floats(r.entries * r.kDim, 2), dtimes = times;
  std::vector<float> query = many_floats(all * width, 3), dout = query, out(query), dquery(query);
  std::vector<float> weights(r.entries * r.kHeads), kept(weights), dscores(weights);
  std::vector<float> sums(all), values(all), dvalues = many_floats(all, 4),
                                             bias = many_floats(r.kHeads, 5);
  std::vector<float> dbelow(r.below.size());
  const EngineSettings settings{
      {"heads", "2"},      {"scale", "0.1"},           {"below_dim", "172"}, {"edge_dim", "172"},
      {"time_dim", "172"}, {"threshold", "429496729"}, {"factor", "1.1111"}, {"zero", "0"}};
  const std::vector<EngineArray> in{
      array("n", r.n),         array("count", r.count),     array("key", key),
      array("below", r.below), array("edges", edges),       array("times", times),
      array("query", query),   array("offsets", r.offsets), array("neighbors", r.neighbors),
      array("bias", bias),     array("dout", dout),         array("dvalues", dvalues),
      array("rows", r.n),      array("begin", r.offsets),   array("from", from)};
  const std::vector<EngineArray> results{array("weights", weights), array("kept", kept),
                                         array("owner", owner),     array("out", out),
                                         array("sums", sums),       array("values", values),
                                         array("dscores", dscores), array("dquery", dquery),
                                         array("dbelow", dbelow),   array("dtimes", dtimes)};
  const double bytes = static_cast<double>((r.entries + 2 * all) * width * sizeof(float));
  for (const auto& [name, passes] :
       {std::pair("attention_forward", 1), {"attention_backward", 3}}) {
    floors.moves(name + (" " + size), floors.time(name, settings, in, results), passes * bytes);
  }
}

/// Cells of the memory, and encodings of times.
void measure_cells(Floors& floors, TemporalRows& r, const std::string& size) {
  std::vector<float> rz = many_floats(2 * r.below.size(), 1), nx = r.below, nh = r.below;
  std::vector<float> own = r.below, made = own, slots = own;
  floors.moves("gru_forward " + size,
               floors.time("gru_forward", {{"dim", "172"}, {"parts", "1"}},
                           {array("n", r.n), array("updates", r.updates), array("own", own)},
                           {array("rz", rz), array("nx", nx), array("nh", nh), array("made", made),
                            array("slots", slots)}),
               static_cast<double>(own.size() * sizeof(float)) * 10);
  std::vector<double> dt(r.entries, 1e6);
  std::vector<float> w = many_floats(r.kDim, 2), out(r.entries * r.kDim);
  std::vector<float> weights(r.kDim), constant(1);
  floors.moves("encode_times " + size,
               floors.time("encode_times", {},
                           {array("n", r.count), array("dt", dt), array("w", w), array("b", w),
                            array("weights", weights)},
                           {array("out", out), array("constant", constant)}),
               static_cast<double>(out.size() * sizeof(float)));
}

/// Whether the plug-in is the one for tests, whose speed is nobody's: says which device it is.
bool is_for_tests() {
  frugal_device_facts facts{};
  facts.size = sizeof facts;
  PluginMessage error;
  if (load_plugin("cuda").device->facts(0, &facts, error.room()) != FRUGAL_OK) {
    fail(ExitStatus::unavailable, error.text());
  }
  std::printf("device: %s\n", facts.name);
  return facts.bytes_per_second == 0;
}

/// Runs a measurement; one that fails is said and does not stop the next.
template <class Measurement>
bool attempt(const Measurement& measurement) {
  try {
    measurement();
    return true;
  } catch (const Error& error) {
    std::printf("FAILED: %s\n", error.what());
    return false;
  }
}

/// Returns whether everything could be measured.
bool measure_all(int rounds) {
  const Suite finds_the_plugin;
  const std::size_t smaller = is_for_tests() ? 64 : 1;
  Floors floors(rounds, (std::size_t{1} << 28) / smaller / smaller);
  bool all = true;
  for (const char* precision : {"bf16", "f32"}) {
    all &= attempt([&] { measure_products(floors, smaller, precision); });
    all &= attempt(
        [&] { measure_labels(floors, 131072 / smaller / smaller, 4096 / smaller, precision); });
  }
  for (const std::size_t dim : {16U, 128U}) {
    for (const std::size_t samples : {16384U, 2048U}) {
      all &= attempt([&] { measure_rows(floors, samples / smaller, dim); });
    }
  }
  for (const std::size_t events : {200U, 10U}) {
    TemporalRows rows(smaller == 1 ? events : events / 10);
    const std::string size = std::to_string(rows.queries / 3) + " events";
    all &= attempt([&] { measure_attention(floors, rows, size); });
    all &= attempt([&] { measure_cells(floors, rows, size); });
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // whoever stops it sees what was measured
  bool all = false;
  attempt([&] { all = measure_all(argc > 1 ? std::atoi(argv[1]) : 20); });
  return all ? 0 : 1;
}
