// Makes XMC data of a given shape with planted structure, the same bytes on every run:
//   bench_generate_xmc SHAPE FOLDER [NAME=VALUE]...
// writes FOLDER/train.txt and FOLDER/test.txt and prints what is in them. SHAPE is a row of
// kShapes; NAME is a member of Shape ("bench_generate_xmc amazon-670k /data/a670k points=50000").
//
// Labels belong to topics. A label has prototype features: half are its topic's, half its own, so
// that labels of one topic are hard to tell apart. A point draws its first label by popularity
// (Zipf), the others from the same topic or by popularity, and its features from the prototypes of
// its labels or, as noise, by popularity. Values grow with the logarithm of the count and vary at
// random; each point has length 1.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <functional>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/rng.h"
#include "libcore/base/text.h"
#include "libcore/system/output_file.h"
#include "libcore/threading/parallel.h"

namespace frugal::bench {
namespace {

struct Shape {
  std::string_view name;
  double points, test_points, features, labels;
  double features_per_point, labels_per_point;
  double topic_size = 32;         ///< labels
  double prototype = 16;          ///< features of a label
  double noise = 0.4;             ///< share of a point's features that no label asked for
  double together = 0.5;          ///< share of further labels that come from the first one's topic
  double label_exponent = 0.8;    ///< Zipf, of labels
  double feature_exponent = 0.9;  ///< Zipf, of noise
  double seed = 7;
};

constexpr std::array<Shape, 4> kShapes = {{
    {"5k", 20000, 6400, 30000, 5000, 30, 3},
    {"32k", 50000, 6400, 60000, 32000, 30, 3},
    {"131k", 100000, 6400, 135000, 131000, 30, 3},
    {"amazon-670k", 490449, 10000, 135909, 670091, 75, 5.5},
}};

constexpr std::pair<std::string_view, double Shape::*> kNames[] = {
    {"points", &Shape::points},
    {"test_points", &Shape::test_points},
    {"features", &Shape::features},
    {"labels", &Shape::labels},
    {"features_per_point", &Shape::features_per_point},
    {"labels_per_point", &Shape::labels_per_point},
    {"topic_size", &Shape::topic_size},
    {"prototype", &Shape::prototype},
    {"noise", &Shape::noise},
    {"together", &Shape::together},
    {"label_exponent", &Shape::label_exponent},
    {"feature_exponent", &Shape::feature_exponent},
    {"seed", &Shape::seed}};

enum Stream : std::uint64_t { kLabelOrder, kFeatureOrder, kTopicOrder, kPrototypes, kPoints };

/// Rank in [0, n) with probability about (rank + 1)^-exponent, exponent < 1: the continuous law
/// inverted.
std::uint32_t zipf(Rng& rng, std::uint32_t n, double exponent) {
  const double e = 1 - exponent;
  const double x = std::pow(rng.uniform() * (std::pow(n, e) - 1) + 1, 1 / e);
  return std::min(n - 1, static_cast<std::uint32_t>(x) - 1);
}

std::uint32_t poisson(Rng& rng, double mean) {
  const double end = std::exp(-mean);
  std::uint32_t count = 0;
  for (double product = rng.uniform(); product > end; product *= rng.uniform()) ++count;
  return count;
}

std::vector<std::uint32_t> random_order(std::uint32_t n, const Rng& rng) {
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  shuffle(order.data(), n, rng);
  return order;
}

struct Point {
  std::vector<std::uint32_t> labels;                    ///< ascending
  std::vector<std::pair<std::uint32_t, float>> values;  ///< by feature
};

class Generator {
 public:
  explicit Generator(const Shape& shape);
  /// Point number `index`, whatever was made before.
  Point point(std::uint64_t index) const;

 private:
  std::uint32_t popular_label(Rng& rng) const {
    return label_at_[zipf(rng, num_labels_, s_.label_exponent)];
  }
  std::uint32_t neighbour(std::uint32_t label, Rng& rng) const;
  std::uint32_t prototype_feature(std::uint32_t label, Rng& rng) const;
  std::vector<std::uint32_t> draw_labels(Rng& rng) const;

  Shape s_;
  std::uint32_t num_labels_, num_features_, topic_size_, prototype_;
  std::vector<std::uint32_t> label_at_;    ///< by popularity
  std::vector<std::uint32_t> feature_at_;  ///< by popularity
  std::vector<std::uint32_t> place_;  ///< of a label: its topic's labels have places side by side
  std::vector<std::uint32_t> label_of_;  ///< the label at a place
};

Generator::Generator(const Shape& shape)
    : s_(shape),
      num_labels_(static_cast<std::uint32_t>(shape.labels)),
      num_features_(static_cast<std::uint32_t>(shape.features)),
      topic_size_(static_cast<std::uint32_t>(shape.topic_size)),
      prototype_(static_cast<std::uint32_t>(shape.prototype)) {
  const auto seed = static_cast<std::uint64_t>(s_.seed);
  label_at_ = random_order(num_labels_, Rng(seed, kLabelOrder));
  feature_at_ = random_order(num_features_, Rng(seed, kFeatureOrder));
  label_of_ = random_order(num_labels_, Rng(seed, kTopicOrder));
  place_.resize(num_labels_);
  for (std::uint32_t i = 0; i < num_labels_; ++i) place_[label_of_[i]] = i;
}

std::uint32_t Generator::neighbour(std::uint32_t label, Rng& rng) const {
  const std::uint32_t first = place_[label] / topic_size_ * topic_size_;
  const std::uint32_t size = std::min(topic_size_, num_labels_ - first);
  return label_of_[first + rng.below(size)];
}

/// Rare features serve as well as common ones: prototypes are flatter than noise.
std::uint32_t Generator::prototype_feature(std::uint32_t label, Rng& rng) const {
  const std::uint64_t j = rng.below(prototype_);
  const bool of_topic = j < prototype_ / 2;
  const std::uint64_t owner = of_topic ? num_labels_ + place_[label] / topic_size_ : label;
  Rng fixed(static_cast<std::uint64_t>(s_.seed), kPrototypes, owner * prototype_ + j);
  return feature_at_[zipf(fixed, num_features_, of_topic ? 0.6 : 0.3)];
}

std::vector<std::uint32_t> Generator::draw_labels(Rng& rng) const {
  const std::uint32_t wanted =
      std::min(num_labels_, 1 + poisson(rng, std::max(0.0, s_.labels_per_point - 1)));
  std::vector<std::uint32_t> labels = {popular_label(rng)};
  // A topic may have fewer labels than are wanted, hence the limit.
  for (std::uint32_t tries = 0; labels.size() < wanted && tries < 50 * wanted; ++tries) {
    const bool near = rng.uniform() < s_.together;
    const std::uint32_t label = near ? neighbour(labels[0], rng) : popular_label(rng);
    if (std::find(labels.begin(), labels.end(), label) == labels.end()) labels.push_back(label);
  }
  return labels;
}

Point Generator::point(std::uint64_t index) const {
  Rng rng(hash_combine(static_cast<std::uint64_t>(s_.seed), kPoints), index);
  Point point;
  point.labels = draw_labels(rng);
  const std::uint32_t wanted = 1 + poisson(rng, std::max(0.0, s_.features_per_point - 1));
  // Draws of a feature that is there already raise its count; a point of few prototypes ends at the
  // limit.
  for (std::uint32_t draws = 0; point.values.size() < wanted && draws < 8 * wanted; ++draws) {
    const bool noise = rng.uniform() < s_.noise;
    const std::uint32_t feature =
        noise ? feature_at_[zipf(rng, num_features_, s_.feature_exponent)]
              : prototype_feature(point.labels[rng.below(point.labels.size())], rng);
    const auto same = std::find_if(point.values.begin(), point.values.end(),
                                   [&](const auto& value) { return value.first == feature; });
    if (same == point.values.end()) {
      point.values.emplace_back(feature, 1.0f);
    } else {
      same->second += 1;
    }
  }
  std::sort(point.labels.begin(), point.labels.end());
  std::sort(point.values.begin(), point.values.end());
  double squares = 0;
  for (auto& [feature, value] : point.values) {
    value = static_cast<float>((1 + std::log(value)) * rng.uniform(0.5, 1.5));
    squares += double(value) * value;
  }
  for (auto& [feature, value] : point.values) value /= static_cast<float>(std::sqrt(squares));
  return point;
}

/// What has been written, counted from the points themselves.
struct Statistics {
  std::uint64_t points = 0, labels = 0, values = 0;
  std::vector<std::uint32_t> label_counts, feature_counts;

  void add(const Point& point) {
    ++points;
    labels += point.labels.size();
    values += point.values.size();
    for (const std::uint32_t label : point.labels) ++label_counts[label];
    for (const auto& [feature, value] : point.values) ++feature_counts[feature];
  }
};

void append(const Point& point, std::string& text) {
  char item[32];
  for (std::size_t i = 0; i < point.labels.size(); ++i) {
    text.append(item,
                std::size_t(std::snprintf(item, sizeof item, i ? ",%u" : "%u", point.labels[i])));
  }
  for (const auto& [feature, value] : point.values) {
    text.append(item,
                std::size_t(std::snprintf(item, sizeof item, " %u:%.5f", feature, double(value))));
  }
  text += '\n';
}

/// Writes points [first, first + count) and counts them.
Statistics write(const Generator& generator, const Shape& shape, std::uint64_t first,
                 std::uint64_t count, const std::string& path) {
  constexpr std::uint64_t kBlock = 4096;
  Statistics statistics;
  statistics.label_counts.resize(std::size_t(shape.labels));
  statistics.feature_counts.resize(std::size_t(shape.features));
  OutputFile file(path);
  std::string text = std::to_string(count) + " " + format_number(shape.features) + " " +
                     format_number(shape.labels) + "\n";
  std::vector<Point> points(kBlock);
  std::vector<std::string> lines(kBlock);
  for (std::uint64_t begin = 0; begin < count; begin += kBlock) {
    const std::uint64_t size = std::min(kBlock, count - begin);
    parallel_for(size, 64, [&](std::size_t i) {
      points[i] = generator.point(first + begin + i);
      lines[i].clear();
      append(points[i], lines[i]);
    });
    for (std::uint64_t i = 0; i < size; ++i) {
      statistics.add(points[i]);
      text += lines[i];
    }
    file.write(text.data(), text.size());
    text.clear();
  }
  file.commit();
  return statistics;
}

void print(const char* part, const Statistics& s) {
  const auto seen = [](const std::vector<std::uint32_t>& counts) {
    return counts.size() - std::size_t(std::count(counts.begin(), counts.end(), 0u));
  };
  std::vector<std::uint32_t> sorted = s.label_counts;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  const std::size_t head = std::max<std::size_t>(1, sorted.size() / 100);
  const auto of_head = std::accumulate(sorted.begin(), sorted.begin() + std::ptrdiff_t(head), 0.0);
  std::printf(
      "%s: %llu points, %.2f features and %.2f labels a point; %zu features and %zu labels occur, "
      "%.2f points "
      "a label; "
      "the most frequent label has %u points, the top 1 %% of labels %.1f %% of all\n",
      part, static_cast<unsigned long long>(s.points), double(s.values) / double(s.points),
      double(s.labels) / double(s.points), seen(s.feature_counts), seen(s.label_counts),
      double(s.labels) / double(seen(s.label_counts)), sorted[0], 100 * of_head / double(s.labels));
}

Shape parse(int argc, char** argv) {
  if (argc < 3)
    fail(ExitStatus::usage, "expected SHAPE FOLDER [NAME=VALUE]..., found ", argc - 1,
         " arguments");
  const std::string_view wanted = argv[1];
  const auto* shape = std::find_if(kShapes.begin(), kShapes.end(),
                                   [&](const Shape& s) { return s.name == wanted; });
  if (shape == kShapes.end())
    fail(ExitStatus::usage, "shape: expected 5k, 32k, 131k or amazon-670k, found ", wanted);
  Shape result = *shape;
  for (int i = 3; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const std::size_t equals = argument.find('=');
    const auto* name = std::find_if(std::begin(kNames), std::end(kNames), [&](const auto& n) {
      return n.first == argument.substr(0, equals);
    });
    const auto value =
        equals == argument.npos ? std::nullopt : parse_number<double>(argument.substr(equals + 1));
    if (name == std::end(kNames) || !value || *value < 0) {
      fail(ExitStatus::usage, "expected NAME=VALUE, found ", argument);
    }
    result.*name->second = *value;
  }
  return result;
}

void run(int argc, char** argv) {
  const Shape shape = parse(argc, argv);
  const std::string folder = argv[2];
  std::filesystem::create_directories(folder);
  const Generator generator(shape);
  const auto train = static_cast<std::uint64_t>(shape.points);
  const auto test = static_cast<std::uint64_t>(shape.test_points);
  print("train", write(generator, shape, 0, train, folder + "/train.txt"));
  print("test", write(generator, shape, train, test, folder + "/test.txt"));
}

}  // namespace
}  // namespace frugal::bench

int main(int argc, char** argv) {
  try {
    frugal::bench::run(argc, argv);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_generate_xmc: error: %s\n", error.what());
    return 64;
  }
}
