// How many of the labels of the largest logits each way of looking labels up finds:
//   bench_retrieval MODEL DATA [FOLDER]
// prints a line of JSON for each way and each number of labels looked up, for 256 examples of DATA
// and the 10 best labels of each: recall, microseconds an example on one thread (searches of 16
// examples at a time, as in training) and milliseconds to build. FOLDER receives the hidden units
// and the labels' weights with a column of biases as rows of floats, for other programs to search.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/system/clock.h"
#include "libcore/threading/parallel.h"
#include "tools/sparse-train/model/model.h"
#include "tools/sparse-train/outputs/label_index.h"

namespace frugal::sparse {
namespace {

constexpr std::size_t kExamples = 256;
constexpr std::size_t kAtOnce = 16;

struct Way {
  const char* name;
  const char* mode;
  const char* hash;
  bool center;
};

constexpr Way kWays[] = {
    {"tables, vanilla, DWTA (SLIDE)", "vanilla", "dwta", false},
    {"tables, vanilla, SimHash (SLIDE)", "vanilla", "simhash", false},
    {"tables, top-k, DWTA", "top-k", "dwta", false},
    {"tables, top-k, WTA", "top-k", "wta", false},
    {"tables, top-k, MinHash", "top-k", "minhash", false},
    {"tables, top-k, SimHash", "top-k", "simhash", false},
    {"tables, top-k, DWTA, centred", "top-k", "dwta", true},
    {"tables, top-k, WTA, centred", "top-k", "wta", true},
    {"tables, top-k, MinHash, centred", "top-k", "minhash", true},
    {"tables, top-k, SimHash, centred", "top-k", "simhash", true},
    {"signatures, 320 signs", "agreement", "simhash", false},
    {"signatures, 320 signs, centred (default)", "agreement", "simhash", true},
    {"signatures, 320 dense signs, centred", "agreement", "simhash-dense", true},
};

std::vector<float> hidden_units(const Network& network, const Dataset& data, std::size_t size) {
  std::vector<float> hidden(size * network.hidden_stride());
  for (std::size_t k = 0; k < size; ++k) {
    network.hidden_units({data.features_of(k), data.values_of(k)},
                         hidden.data() + k * network.hidden_stride());
  }
  return hidden;
}

void write_rows(const std::string& path, MatrixView<const float> rows) {
  std::ofstream file(path, std::ios::binary);
  for (std::size_t r = 0; r < rows.rows; ++r) {
    file.write(reinterpret_cast<const char*>(rows.row(r)),
               static_cast<std::streamsize>(rows.cols * sizeof(float)));
  }
  if (!file.flush()) fail(ExitStatus::io_error, path, ": cannot be written");
}

double search_seconds(const LabelIndex& index, MatrixView<const float> hidden) {
  std::vector<std::uint32_t> codes;
  std::vector<std::vector<std::uint32_t>> found(kAtOnce);
  const double began = wall_seconds();
  for (std::size_t first = 0; first < hidden.rows; first += kAtOnce) {
    const std::size_t end = std::min(first + kAtOnce, hidden.rows);
    std::vector<Rng> order;
    for (std::size_t k = first; k < end; ++k) order.emplace_back(1, k);
    index.search(hidden.rows_between(first, end), order, codes, {found.data(), end - first});
  }
  return wall_seconds() - began;
}

void measure(const Network& network, const Dataset& data, MatrixView<const float> hidden) {
  const std::uint32_t labels = network.shape.num_labels;
  for (const Way& way : kWays) {
    for (const double share : {0.01, 0.05, 0.15}) {
      LshSettings settings;
      settings.mode = way.mode;
      settings.hash = way.hash;
      settings.center = way.center;
      settings.random = 0;
      settings.active = std::max(10U, static_cast<std::uint32_t>(share * labels));
      LshOptions options = choose_lsh(settings, labels);
      options.set_seed(1);
      const double began = wall_seconds();
      const LabelIndex index(network, options, 1);
      const double built = wall_seconds() - began;
      const IndexQuality quality = index.quality(data);
      search_seconds(index, hidden);
      const double seconds = search_seconds(index, hidden);
      std::printf(
          "{\"way\": \"%s\", \"share\": %g, \"wanted\": %u, \"found\": %.1f, \"recall\": %.4f, "
          "\"microseconds\": %.2f, \"build_ms\": %.1f, \"columns\": %zu}\n",
          way.name, share, settings.active, quality.retrieved, quality.recall,
          1e6 * seconds / static_cast<double>(hidden.rows), 1e3 * built, hidden.cols);
    }
  }
}

int run(int argc, char** argv) {
  if (argc < 3 || argc > 4) {
    fail(ExitStatus::usage, "expected bench_retrieval MODEL DATA [FOLDER]");
  }
  set_num_threads(1);
  Model model = load_model(std::string(argv[1]));
  if (!model.network) fail(ExitStatus::bad_input, argv[1], ": has no network");
  Dataset data = model.featurizer.read(argv[2]);
  if (model.normalize) normalize_rows(data);
  const Network& network = *model.network;
  const std::size_t size = std::min(kExamples, data.size());
  const std::vector<float> hidden = hidden_units(network, data, size);
  const MatrixView<const float> rows(hidden.data(), size, network.labels.dim(),
                                     network.hidden_stride());
  if (argc == 4) {
    write_rows(std::string(argv[3]) + "/hidden.f32", rows);
    write_rows(std::string(argv[3]) + "/labels.f32", network.labels.weights());
  }
  measure(network, data, rows);
  return 0;
}

}  // namespace
}  // namespace frugal::sparse

int main(int argc, char** argv) {
  try {
    return frugal::sparse::run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_retrieval: %s\n", e.what());
    return 1;
  }
}
