#include "tools/gnn-sample/generate_shape.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal::gnn {
namespace {

constexpr std::uint64_t kMostGeneratedNodes = 0xffffffff,
                        kMostGeneratedEdges = std::uint64_t{1} << 40;
constexpr std::uint64_t kMostGeneratedClasses = 65536, kMostFeatures = 65536;

RmatShares parse_quadrants(const std::string& text) {
  std::vector<double> shares;
  for (const std::string_view part : split(text, ',')) {
    shares.push_back(parse_number<double>(part).value_or(-1));
  }
  if (shares.size() != 4) {
    fail(ExitStatus::usage, "--quadrants is '", printable(text),
         "', expected four shares that sum to 1, as in 0.57,0.19,0.19,0.05");
  }
  return {shares[0], shares[1], shares[2], shares[3]};
}

std::uint64_t rounded(double x) { return static_cast<std::uint64_t>(std::llround(x)); }

std::uint64_t between(const char* option, std::uint64_t value, std::uint64_t low,
                      std::uint64_t high) {
  if (value >= low && value <= high) return value;
  fail(ExitStatus::usage, option, " is ", value, ", expected ", low, " to ", high);
}

double share(const char* option, double value) {
  if (value >= 0 && value <= 1) return value;
  fail(ExitStatus::usage, option, " is ", value, ", expected 0 to 1");
}

/// Small enough for features of every type.
double separation(double value) {
  constexpr double kLargest = 10000;
  if (value >= 0 && value <= kLargest) return value;
  fail(ExitStatus::usage, "--separation is ", value, ", expected 0 to ", kLargest);
}

/// The numbers of nodes and parts: scaled, or where --nodes is given in the shape's proportions.
void set_nodes(const GenerateOptions& o, GraphShape& shape) {
  const auto all = static_cast<double>(shape.nodes);
  const double train = o.train_share >= 0 ? share("--train-share", o.train_share)
                                          : static_cast<double>(shape.train) / all;
  const double valid = o.valid_share >= 0 ? share("--valid-share", o.valid_share)
                                          : static_cast<double>(shape.valid) / all;
  if (train + valid > 1) {
    fail(ExitStatus::usage, "--train-share and --valid-share are ", train, " and ", valid,
         ", expected at most 1 together");
  }
  const double test = static_cast<double>(shape.test) / all;
  shape.nodes = o.nodes != 0 ? o.nodes : rounded(all / o.scale);
  between("--nodes", shape.nodes, 1, kMostGeneratedNodes);
  const auto n = static_cast<double>(shape.nodes);
  const bool all_used = shape.train + shape.valid + shape.test == rounded(all);
  shape.train = std::min(shape.nodes, rounded(train * n));
  shape.valid = std::min(shape.nodes - shape.train, rounded(valid * n));
  const std::uint64_t left = shape.nodes - shape.train - shape.valid;
  shape.test = all_used ? left : std::min(left, rounded(test * n));
}

void set_edges(const GenerateOptions& o, double shape_degree, GraphShape& shape) {
  const double per_node = o.degree != 0 ? o.degree / (shape.directed ? 1 : 2) : shape_degree;
  const double wanted = per_node * static_cast<double>(shape.nodes);
  if (!(wanted >= 0 && wanted <= static_cast<double>(kMostGeneratedEdges))) {
    fail(ExitStatus::usage, "--degree is ", o.degree, ", expected 0 to ", kMostGeneratedEdges,
         " edges");
  }
  shape.edges = o.edges != 0 ? o.edges : rounded(wanted);
  between("--edges", shape.edges, 1, kMostGeneratedEdges);
}

}  // namespace

GraphShape shape_of(const GenerateOptions& o) {
  GraphShape shape = graph_shape(o.shape);
  if (!(o.scale >= 1)) fail(ExitStatus::usage, "--scale is ", o.scale, ", expected 1 or more");
  if (!o.model.empty()) shape.model = o.model == "sbm" ? EdgeModel::sbm : EdgeModel::rmat;
  if (!o.direction.empty()) shape.directed = o.direction == "directed";
  const double shape_degree = static_cast<double>(shape.edges) / static_cast<double>(shape.nodes);
  set_nodes(o, shape);
  set_edges(o, shape_degree, shape);
  if (o.classes != 0) shape.classes = o.classes;
  if (o.features >= 0) shape.features = static_cast<std::uint64_t>(o.features);
  between("--classes", shape.classes, 1, std::min(kMostGeneratedClasses, shape.nodes));
  between("--features", shape.features, 0, kMostFeatures);
  if (o.homophily >= 0) shape.homophily = share("--homophily", o.homophily);
  if (o.separation != -1) shape.separation = separation(o.separation);
  if (o.label_noise >= 0) shape.label_noise = share("--label-noise", o.label_noise);
  if (!o.quadrants.empty()) shape.quadrants = parse_quadrants(o.quadrants);
  if (o.degree_exponent != 0 && shape.model != EdgeModel::sbm) {
    fail(ExitStatus::usage, "--degree-exponent is for --model sbm");
  }
  if (!o.quadrants.empty() && shape.model != EdgeModel::rmat) {
    fail(ExitStatus::usage, "--quadrants is for --model rmat");
  }
  return shape;
}

}  // namespace frugal::gnn
