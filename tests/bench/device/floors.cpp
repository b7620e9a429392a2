// How near each operation of a device comes to its floor: bytes by the rate that it copies at,
// products by the rate that the largest of them run at. One line an operation: name, microseconds,
// what it moves or computes a second, share of the floor.
//   device_floors [ROUNDS]   FRUGAL_TEST_PLUGINS: the folder of the plug-in, else that of the tests
#include <cstdio>
#include <numeric>

#include "libcore/embedding/embedding_engine.h"
#include "libcore/embedding/embedding_methods.h"
#include "tests/libcore/device/suite_runner.h"

using namespace frugal;
using namespace frugal::device_test;

namespace {

class Floors {
 public:
  explicit Floors(int rounds) : rounds_(rounds) {
    std::vector<float> in(kCopied), out(kCopied);
    const double seconds = time("copy", {}, {array("in", in)}, {array("out", out)});
    copy_rate_ = 2.0 * kCopied * sizeof(float) / seconds;
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
  /// One that is limited by the bytes that it has to read and write.
  void moves(const std::string& name, double seconds, double bytes) const {
    print(name, seconds, bytes / seconds / 1e9, "GB/s", bytes / seconds / copy_rate_);
  }
  /// A product of 2 m n k operations.
  void multiplies(std::size_t m, std::size_t n, std::size_t k, const char* precision,
                  bool library) {
    std::vector<float> a(m * k, 0.5F), b(k * n, 0.5F), c(m * n);
    const double seconds = time("multiply",
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
    const double rate =
        2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) / seconds;
    if (product_rate_ == 0) product_rate_ = rate;
    print(std::string(library ? "cuBLASLt " : "multiply ") + precision + " " + std::to_string(m) +
              " x " + std::to_string(n) + " x " + std::to_string(k),
          seconds, rate / 1e12, "TFLOP/s", rate / product_rate_);
  }
  /// Products that take so many operations together.
  void computes(const std::string& name, double seconds, double operations) const {
    print(name, seconds, operations / seconds / 1e12, "TFLOP/s",
          operations / seconds / product_rate_);
  }
  /// From now on products are measured by the first that comes.
  void next_products() { product_rate_ = 0; }

 private:
  static constexpr std::size_t kCopied = std::size_t{1} << 24;

  static void print(const std::string& name, double seconds, double rate, const char* unit,
                    double share) {
    std::printf("%-44s %10.1f us %10.1f %-8s %5.1f %%\n", name.c_str(), seconds * 1e6, rate, unit,
                100 * share);
  }

  Suite suite_;
  int rounds_;
  double copy_rate_ = 0, product_rate_ = 0;
};

/// In tiles, or by a library where there is one.
void measure_product(Floors& floors, std::size_t m, bool full, const char* precision,
                     bool library) {
  try {
    floors.multiplies(m, full ? 512 : 64, full ? 256 : 32, precision, library);
  } catch (const Error& error) {
    if (!library) throw;
    std::printf("cuBLASLt %s: %s\n", precision, error.what());
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
  std::vector<float> values(rows.size() * dim);
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
  std::vector<float> hidden(examples * dim, 0.1F), rows(labels * dim, 0.1F);
  std::vector<double> losses(examples);
  std::vector<float> dhidden(hidden.size()), drows(rows.size());
  const double seconds =
      floors.time("label_output",
                  {{"labels", std::to_string(labels)},
                   {"dim", std::to_string(dim)},
                   {"block", "8192"},
                   {"loss", "softmax"},
                   {"precision", precision}},
                  {array("n", n), array("hidden", hidden), array("rows", rows),
                   array("offsets", offsets), array("own", own)},
                  {array("losses", losses), array("dhidden", dhidden), array("drows", drows)});
  floors.computes("label_output " + std::string(precision) + " " + std::to_string(examples) +
                      " x " + std::to_string(labels) + " labels",
                  seconds, 8.0 * static_cast<double>(labels * examples * dim));
}

/// Attention and cells of a temporal graph network.
void measure_temporal(Floors& floors, std::size_t events) {
  const std::size_t queries = 3 * events, dim = 172, width = 3 * dim, heads = 2, most = 10;
  const std::size_t entries = queries * most;
  std::vector<std::uint32_t> offsets(queries + 1), neighbors(2 * entries), n{0}, count{0}, key{1};
  n[0] = static_cast<std::uint32_t>(queries);
  count[0] = static_cast<std::uint32_t>(entries);
  for (std::size_t q = 0; q <= queries; ++q) offsets[q] = static_cast<std::uint32_t>(q * most);
  Rng rng(2);
  for (auto& row : neighbors) row = static_cast<std::uint32_t>(rng.below(queries));
  std::vector<float> below(queries * dim, 0.1F), edges = below, times(entries * dim, 0.1F);
  std::vector<float> query(queries * heads * width, 0.01F), out(query.size()), dquery(query.size());
  std::vector<float> weights(entries * heads), kept(weights.size()), dscores(weights.size());
  std::vector<float> sums(queries * heads), dsums(sums.size()), dbelow(entries * dim),
      dtimes = dbelow;
  std::vector<std::uint32_t> owner(entries);
  const EngineSettings settings{
      {"heads", "2"},      {"scale", "0.1"},           {"below_dim", "172"}, {"edge_dim", "172"},
      {"time_dim", "172"}, {"threshold", "429496729"}, {"factor", "1.1111"}};
  const std::vector<EngineArray> in{
      array("n", n),         array("count", count),     array("key", key),
      array("below", below), array("edges", edges),     array("times", times),
      array("query", query), array("offsets", offsets), array("neighbors", neighbors),
      array("dout", out),    array("dsums", dsums)};
  const std::vector<EngineArray> results{
      array("weights", weights), array("kept", kept),     array("owner", owner),
      array("out", out),         array("sums", sums),     array("dscores", dscores),
      array("dquery", dquery),   array("dbelow", dbelow), array("dtimes", dtimes)};
  const std::string size = std::to_string(events) + " events";
  const double rows = static_cast<double>(entries * width + 2 * queries * heads * width) * 4;
  floors.moves("attention_forward " + size, floors.time("attention_forward", settings, in, results),
               rows);
  floors.moves("attention_backward " + size,
               floors.time("attention_backward", settings, in, results), 3 * rows);
  std::vector<float> rz(2 * queries * dim), gates(queries * dim), w(dim, 0.1F);
  std::vector<std::uint32_t> updates(4 * queries);
  const std::vector<EngineArray> cells{array("rz", rz), array("nx", gates), array("nh", below),
                                       array("made", dtimes), array("slots", edges)};
  floors.moves("gru_forward " + size,
               floors.time("gru_forward", {{"dim", "172"}},
                           {array("n", n), array("updates", updates), array("own", out)}, cells),
               static_cast<double>(queries * dim) * 4 * 10);
  std::vector<double> dt(entries, 1e6);
  floors.moves("encode_times " + size,
               floors.time("encode_times", {},
                           {array("n", count), array("dt", dt), array("w", w), array("b", w)},
                           {array("out", dtimes)}),
               static_cast<double>(entries * dim) * 4);
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 100;
  // Sizes that a GPU needs, or small ones to try this program by.
  const std::size_t size = rounds > 1 ? 1 : 64;
  Floors floors(rounds);
  for (const char* precision : {"bf16", "f32"}) {
    floors.next_products();
    for (const bool library : {true, false}) {
      for (const std::size_t m : {16384U, 2048U, 600U}) {
        measure_product(floors, m / size, size == 1, precision, library);
      }
    }
    measure_labels(floors, 131072 / size / size, 4096 / size, precision);
  }
  for (const std::size_t dim : {16U, 128U}) {
    for (const std::size_t samples : {16384U, 2048U}) measure_rows(floors, samples / size, dim);
  }
  for (const std::size_t events : {200U, 10U})
    measure_temporal(floors, events / (size == 1 ? 1 : 10));
}
