#include <algorithm>
#include <memory>

#include "tests/libcore/kernels/every_level.h"

using namespace frugal;

namespace {

constexpr std::size_t kHeadRows = 23;

struct Shape {
  std::vector<std::size_t> dims;
  std::size_t heads;
  bool gathered, dropped;
  std::vector<std::uint32_t> offsets;
};

/// Lists of none, one, few and many entries; they begin at entry 5.
const std::vector<std::uint32_t> kLists = {5, 5, 6, 8, 11, 21, 21, 28, 68, 72, 72};
/// A list longer than the kernels keep factors of.
const std::vector<std::uint32_t> kLongLists = {2, 3, 1100, 1102};

std::vector<Shape> shapes() {
  return {{{172, 172, 172}, 2, true, true, kLists}, {{100, 172, 100}, 2, true, false, kLists},
          {{172, 0, 172}, 2, true, true, kLists},   {{5}, 1, false, false, kLists},
          {{16, 64}, 1, true, true, kLists},        {{1, 15, 33}, 3, true, true, kLists},
          {{8, 4}, 4, false, true, kLists},         {{31, 17}, 8, true, true, kLists},
          {{3, 6}, 5, true, false, kLists},         {{7, 2}, 1, true, true, kLongLists},
          {{4, 3}, 2, false, false, kLongLists},    {{2, 5}, 7, true, true, kLongLists}};
}

/// Everything that attention reads, and what is expected of it, in double.
class AttentionCase {
 public:
  explicit AttentionCase(const Shape& shape)
      : shape_(shape),
        entries_(shape.offsets.back()),
        queries_(shape.offsets.size() - 1),
        width_(0),
        keep_(entries_ * shape.heads),
        dsums_(Floats::random(queries_ * shape.heads, 8)) {
    Rng rng(entries_);
    for (std::size_t p = 0; p < shape.dims.size(); ++p) {
      const std::size_t rows = shape.gathered ? kHeadRows : entries_, dim = shape.dims[p];
      tables_.push_back(Floats::random(rows * stride(p), 10 + p));
      std::vector<std::uint32_t> of_entry(entries_), of_gradient(entries_);
      for (std::size_t e = 0; e < entries_; ++e) {
        of_entry[e] = static_cast<std::uint32_t>(shape.gathered ? rng.below(kHeadRows) : e);
        const std::uint64_t to = rng.below(kHeadRows);
        of_gradient[e] = to < 3 ? kNoGradient : static_cast<std::uint32_t>(to);
      }
      rows_.push_back(of_entry);
      gradient_rows_.push_back(of_gradient);
      width_ += dim;
    }
    query_ = std::make_unique<Floats>(Floats::random(queries_ * query_stride(), 20));
    dout_ = std::make_unique<Floats>(Floats::random(queries_ * query_stride(), 21));
    for (float& x : keep_) x = rng.below(4) == 0 ? 0.0f : 1.25f;
    scale_ = 1 / std::sqrt(static_cast<float>(width_));
  }

  std::size_t entries() const { return entries_; }
  std::size_t queries() const { return queries_; }
  std::size_t heads() const { return shape_.heads; }
  std::size_t query_stride() const { return shape_.heads * width_ + 3; }
  std::size_t stride(std::size_t p) const { return shape_.dims[p] + p + 1; }
  const Shape& shape() const { return shape_; }
  const float* dout() const { return dout_->data(); }
  const float* dsums() const { return dsums_.data(); }
  std::size_t columns() const { return shape_.heads * width_; }

  Attention args() const {
    Attention a;
    a.num_parts = shape_.dims.size();
    for (std::size_t p = 0; p < a.num_parts; ++p) {
      a.parts[p].table = shape_.dims[p] == 0 ? nullptr : tables_[p].data();
      a.parts[p].stride = stride(p);
      a.parts[p].dim = shape_.dims[p];
      a.parts[p].rows = shape_.gathered ? rows_[p].data() : nullptr;
      // The second part's entries have gradients of their own.
      a.parts[p].gradient_rows = p == 1 ? nullptr : gradient_rows_[p].data();
    }
    a.offsets = shape_.offsets.data();
    a.num_queries = queries_;
    a.heads = shape_.heads;
    a.query = query_->data();
    a.query_stride = query_stride();
    a.scale = scale_;
    a.keep = shape_.dropped ? keep_.data() : nullptr;
    return a;
  }

  /// Row of the gradient of a part that an entry adds to.
  std::uint32_t gradient_row(std::size_t p, std::size_t e) const {
    return p == 1 ? static_cast<std::uint32_t>(e) : gradient_rows_[p][e];
  }
  double keep(std::size_t e, std::size_t h) const {
    return shape_.dropped ? static_cast<double>(keep_[e * heads() + h]) : 1;
  }
  double query(std::size_t q, std::size_t column) const {
    return (*query_)[q * query_stride() + column];
  }
  double dout(std::size_t q, std::size_t column) const {
    return (*dout_)[q * query_stride() + column];
  }
  std::vector<double> entry(std::size_t e) const {
    std::vector<double> x;
    for (std::size_t p = 0; p < shape_.dims.size(); ++p) {
      const float* row = tables_[p].data() + rows_[p][e] * stride(p);
      x.insert(x.end(), row, row + shape_.dims[p]);
    }
    return x;
  }
  double scale() const { return scale_; }
  std::size_t width() const { return width_; }

 private:
  Shape shape_;
  std::size_t entries_, queries_, width_;
  std::vector<Floats> tables_;
  std::vector<std::vector<std::uint32_t>> rows_, gradient_rows_;
  std::unique_ptr<Floats> query_, dout_;
  Floats keep_, dsums_;
  float scale_ = 1;
};

/// One list of one head.
struct PlainList {
  std::vector<std::vector<double>> x;
  std::vector<double> query, keep, dout;
  double scale = 1, dsum = 0;

  PlainList(const AttentionCase& c, std::size_t q, std::size_t h, bool with_dsums)
      : scale(c.scale()), dsum(with_dsums ? c.dsums()[q * c.heads() + h] : 0) {
    for (std::size_t e = c.shape().offsets[q]; e < c.shape().offsets[q + 1]; ++e) {
      x.push_back(c.entry(e));
      keep.push_back(c.keep(e, h));
    }
    for (std::size_t i = 0; i < c.width(); ++i) {
      query.push_back(c.query(q, h * c.width() + i));
      dout.push_back(c.dout(q, h * c.width() + i));
    }
  }
  static double dot(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  }
  std::vector<double> weights() const {
    std::vector<double> a;
    double total = 0;
    for (const auto& row : x) a.push_back(std::exp(scale * dot(row, query)));
    for (const double v : a) total += v;
    for (double& v : a) v /= total;
    return a;
  }
  std::vector<double> out(double* sum) const {
    const std::vector<double> a = weights();
    std::vector<double> y(query.size());
    *sum = 0;
    for (std::size_t e = 0; e < x.size(); ++e) {
      *sum += keep[e] * a[e];
      for (std::size_t i = 0; i < y.size(); ++i) y[i] += keep[e] * a[e] * x[e][i];
    }
    return y;
  }
  /// What the gradients are of.
  double loss() const {
    double sum = 0;
    const double product = dot(out(&sum), dout);
    return product + dsum * sum;
  }
  /// The slope of loss() along a number of its own.
  double slope(double& x_or_query) {
    constexpr double kStep = 1e-4;
    const double at = x_or_query;
    x_or_query = at + kStep;
    const double above = loss();
    x_or_query = at - kStep;
    const double below = loss();
    x_or_query = at;
    return (above - below) / (2 * kStep);
  }
  /// The gradients in closed form: by the query, and of each entry by its numbers.
  std::vector<double> gradients(std::vector<std::vector<double>>& dx) const {
    const std::vector<double> a = weights();
    std::vector<double> da, dquery(query.size());
    double mean = 0;
    for (std::size_t e = 0; e < x.size(); ++e) {
      da.push_back(keep[e] * (dot(x[e], dout) + dsum));
      mean += a[e] * da[e];
    }
    dx.assign(x.size(), std::vector<double>(query.size()));
    for (std::size_t e = 0; e < x.size(); ++e) {
      const double score = scale * a[e] * (da[e] - mean);
      for (std::size_t i = 0; i < query.size(); ++i) {
        dquery[i] += score * x[e][i];
        dx[e][i] = keep[e] * a[e] * dout[i] + score * query[i];
      }
    }
    return dquery;
  }
};

struct Forward {
  Floats weights, out, sums;
  explicit Forward(const AttentionCase& c)
      : weights(c.entries() * c.heads(), 7),
        out(c.queries() * c.query_stride(), 7),
        sums(c.queries() * c.heads(), 7) {}
};

void run_forward(const Kernels& k, const AttentionCase& c, Forward& f, bool with_sums = true) {
  Attention a = c.args();
  a.weights = f.weights.data();
  a.out = f.out.data();
  a.out_stride = c.query_stride();
  a.sums = with_sums ? f.sums.data() : nullptr;
  k.attention_forward(a);
}

void check_forward(const Kernels& k, const AttentionCase& c) {
  Forward f(c);
  run_forward(k, c, f);
  std::size_t wrong = 0;
  for (std::size_t q = 0; q < c.queries(); ++q) {
    for (std::size_t h = 0; h < c.heads(); ++h) {
      const PlainList list(c, q, h, true);
      double sum = 0;
      const std::vector<double> weights = list.weights(), out = list.out(&sum);
      for (std::size_t e = 0; e < weights.size(); ++e) {
        const float got = f.weights[(c.shape().offsets[q] + e) * c.heads() + h];
        wrong += !close(got, weights[e], weights[e], 4e-6);
      }
      for (std::size_t i = 0; i < c.width(); ++i) {
        wrong += !close(f.out[q * c.query_stride() + h * c.width() + i], out[i], 1, 4e-6);
      }
      wrong += !close(f.sums[q * c.heads() + h], sum, 1, 2e-6);
    }
    wrong += f.out[q * c.query_stride() + c.columns()] != 7;
  }
  for (std::size_t i = 0; i < c.shape().offsets[0] * c.heads(); ++i) wrong += f.weights[i] != 7;
  CHECK(wrong == 0);
  Forward without(c);
  run_forward(k, c, without, false);
  CHECK(std::equal(f.out.begin(), f.out.end(), without.out.begin()));
}

struct Gradients {
  std::vector<std::vector<double>> parts;  ///< [rows of the gradient, dim]
  std::vector<double> query;
};

std::size_t gradient_height(const AttentionCase& c, std::size_t p) {
  return p == 1 ? c.entries() : kHeadRows;
}

Gradients plain_gradients(const AttentionCase& c, bool with_dsums) {
  Gradients g;
  for (std::size_t p = 0; p < c.shape().dims.size(); ++p) {
    g.parts.emplace_back(gradient_height(c, p) * c.shape().dims[p], 0.5);
  }
  for (std::size_t q = 0; q < c.queries(); ++q) {
    for (std::size_t h = 0; h < c.heads(); ++h) {
      std::vector<std::vector<double>> dx;
      for (const double v : PlainList(c, q, h, with_dsums).gradients(dx)) g.query.push_back(v);
      for (std::size_t i = 0; i < dx.size(); ++i) {
        std::size_t column = 0;
        for (std::size_t p = 0; p < g.parts.size(); ++p) {
          const std::size_t dim = c.shape().dims[p];
          const std::uint32_t row = c.gradient_row(p, c.shape().offsets[q] + i);
          for (std::size_t j = 0; j < dim && row != kNoGradient; ++j) {
            g.parts[p][row * dim + j] += dx[i][column + j];
          }
          column += dim;
        }
      }
    }
  }
  return g;
}

void check_backward(const Kernels& k, const AttentionCase& c, bool with_dsums,
                    const Gradients& want) {
  Forward f(c);
  run_forward(k, c, f);
  Attention a = c.args();
  a.weights = f.weights.data();
  std::vector<Floats> gradients;
  for (std::size_t p = 0; p < a.num_parts; ++p) {
    gradients.emplace_back(gradient_height(c, p) * (c.stride(p) + 1), 0.5f);
  }
  for (std::size_t p = 0; p < a.num_parts; ++p) {
    a.parts[p].gradient = gradients[p].data();
    a.parts[p].gradient_stride = c.stride(p) + 1;
  }
  Floats dquery(c.queries() * c.query_stride(), 7);
  k.attention_backward(a, c.dout(), c.query_stride(), with_dsums ? c.dsums() : nullptr,
                       dquery.data(), c.query_stride());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < dquery.size(); ++i) {
    const std::size_t q = i / c.query_stride(), column = i % c.query_stride();
    wrong += column < c.columns() ? !close(dquery[i], want.query[q * c.columns() + column], 1, 1e-5)
                                  : dquery[i] != 7;
  }
  CHECK(wrong == 0);
  for (std::size_t p = 0; p < a.num_parts; ++p) {
    const std::size_t stride = c.stride(p) + 1, dim = c.shape().dims[p];
    for (std::size_t i = 0; i < gradients[p].size(); ++i) {
      const std::size_t row = i / stride, column = i % stride;
      wrong += column < dim ? !close(gradients[p][i], want.parts[p][row * dim + column], 10, 1e-5)
                            : gradients[p][i] != 0.5f;
    }
  }
  CHECK(wrong == 0);
  // Without gradients of the parts that of the query is the same.
  Floats alone(c.queries() * c.query_stride(), 7);
  for (AttentionPart& part : a.parts) part.gradient = nullptr;
  k.attention_backward(a, c.dout(), c.query_stride(), with_dsums ? c.dsums() : nullptr,
                       alone.data(), c.query_stride());
  CHECK(std::equal(alone.begin(), alone.end(), dquery.begin()));
}

}  // namespace

TEST_CASE("attention agrees with plain code for every shape of rows, heads and lists") {
  for (const Shape& shape : shapes()) {
    const AttentionCase c(shape);
    CAPTURE(shape.dims[0]);
    CAPTURE(shape.heads);
    on_every_level([&](const Kernels& k) { check_forward(k, c); });
  }
}

TEST_CASE("attention's gradients agree with plain code and add to what is there") {
  for (const Shape& shape : shapes()) {
    const AttentionCase c(shape);
    CAPTURE(shape.dims[0]);
    CAPTURE(shape.heads);
    for (const bool with_dsums : {false, true}) {
      const Gradients want = plain_gradients(c, with_dsums);
      on_every_level([&](const Kernels& k) { check_backward(k, c, with_dsums, want); });
    }
  }
}

TEST_CASE("the plain code's gradients of attention agree with central differences") {
  const AttentionCase c(shapes()[5]);
  for (std::size_t q = 0; q < c.queries(); ++q) {
    for (std::size_t h = 0; h < c.heads(); ++h) {
      PlainList list(c, q, h, true);
      std::vector<std::vector<double>> dx;
      const std::vector<double> dquery = list.gradients(dx);
      for (std::size_t i = 0; i < c.width(); i += 7) {
        CHECK(close(dquery[i], list.slope(list.query[i]), 1, 1e-7));
        for (std::size_t e = 0; e < dx.size(); e += 3) {
          CHECK(close(dx[e][i], list.slope(list.x[e][i]), 1, 1e-7));
        }
      }
    }
  }
}

TEST_CASE("attention bears large scores, and none without queries") {
  on_every_level([](const Kernels& k) {
    const float table[] = {300, -300, 299}, query[] = {10, -10};
    const std::uint32_t offsets[] = {0, 3};
    float weights[6], out[2];
    Attention a;
    a.parts[0].table = table;
    a.parts[0].stride = a.parts[0].dim = 1;
    a.num_parts = 1;
    a.offsets = offsets;
    a.num_queries = 1;
    a.heads = 2;
    a.query = query;
    a.query_stride = 2;
    a.weights = weights;
    a.out = out;
    a.out_stride = 2;
    k.attention_forward(a);
    const double share = 1 / (1 + std::exp(-10.0));
    CHECK(close(weights[0], share, 1));
    CHECK(close(weights[4], 1 - share, 1e-4));
    CHECK(weights[2] == 0);
    CHECK(weights[3] == 1);
    CHECK(close(out[0], 299 + share, 300));
    CHECK(out[1] == -300);
    a.num_queries = 0;
    a.offsets = nullptr;
    k.attention_forward(a);
    k.attention_backward(a, nullptr, 0, nullptr, nullptr, 0);
  });
}
