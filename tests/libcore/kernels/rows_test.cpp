#include "tests/libcore/kernels/every_level.h"

using namespace frugal;

namespace {

/// A table whose rows are padded with NaN, which must neither be written nor leak into results, and
/// a bag of rows.
struct Case {
  std::size_t dim, stride, n;
  std::vector<float> table;
  std::vector<std::uint32_t> rows;
  Floats weights, x;

  Case(std::size_t dim_, std::size_t n_)
      : dim(dim_),
        stride((dim_ + 16) / 16 * 16),
        n(n_),
        table(kNumRows * stride, std::nanf("")),
        weights(Floats::random(n_, 2)),
        x(Floats::random(dim_, 3)) {
    Rng rng(7);
    for (std::size_t r = 0; r < kNumRows; ++r) {
      for (std::size_t i = 0; i < dim; ++i) {
        table[r * stride + i] = static_cast<float>(rng.uniform(-1, 1));
      }
    }
    for (std::size_t j = 0; j < n; ++j) {
      rows.push_back(static_cast<std::uint32_t>(rng.below(kNumRows)));
    }
  }
  float weight(std::size_t j, bool weighted) const { return weighted ? weights[j] : 1; }
  const float* weights_or_null(bool weighted) const { return weighted ? weights.data() : nullptr; }

  /// The table holds `want` (dense rows of doubles) and its padding is as it was.
  void check_table(const std::vector<double>& want) const {
    std::size_t wrong = 0;
    for (std::size_t r = 0; r < kNumRows; ++r) {
      for (std::size_t i = 0; i < stride; ++i) {
        const float got = table[r * stride + i];
        wrong += i < dim ? !close(got, want[r * dim + i], 10) : !std::isnan(got);
      }
    }
    CHECK(wrong == 0);
  }
  std::vector<double> dense() const {
    std::vector<double> values;
    for (std::size_t r = 0; r < kNumRows; ++r) {
      for (std::size_t i = 0; i < dim; ++i) values.push_back(table[r * stride + i]);
    }
    return values;
  }

  static constexpr std::size_t kNumRows = 23;  // fewer than the rows of a bag: they repeat
};

/// check(table of kernels, case, weighted) for all widths of rows and lengths of bags.
template <class Check>
void for_each_case(Check check) {
  on_every_level([&](const Kernels& k) {
    for (const std::size_t dim :
         {1, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 64, 100, 127, 128, 129, 200, 256, 300}) {
      for (const std::size_t n : {0, 1, 2, 9, 50, 130}) {
        CAPTURE(dim);
        CAPTURE(n);
        check(k, Case(dim, n), true);
        check(k, Case(dim, n), false);
      }
    }
  });
}

}  // namespace

TEST_CASE("gather_sum adds the weighted rows to what is there") {
  for_each_case([](const Kernels& k, const Case& c, bool weighted) {
    Floats out(c.dim, 0.5f);
    k.gather_sum(c.table.data(), c.stride, c.dim, c.rows.data(), c.weights_or_null(weighted), c.n,
                 out.data());
    for (std::size_t i = 0; i < c.dim; ++i) {
      double want = 0.5, size = 0.5;
      for (std::size_t j = 0; j < c.n; ++j) {
        const double term = double(c.weight(j, weighted)) * c.table[c.rows[j] * c.stride + i];
        want += term;
        size += std::abs(term);
      }
      CHECK(close(out[i], want, size));
    }
  });
}

TEST_CASE("scatter_add adds to the rows, also to repeated ones") {
  for_each_case([](const Kernels& k, Case c, bool weighted) {
    std::vector<double> want = c.dense();
    for (std::size_t j = 0; j < c.n; ++j) {
      for (std::size_t i = 0; i < c.dim; ++i) {
        want[c.rows[j] * c.dim + i] += -0.3 * c.weight(j, weighted) * c.x[i];
      }
    }
    k.scatter_add(c.table.data(), c.stride, c.dim, c.rows.data(), c.weights_or_null(weighted), c.n,
                  -0.3f, c.x.data());
    c.check_table(want);
  });
}

TEST_CASE("scatter_adagrad moves the accumulator once for each time a row is named") {
  for_each_case([](const Kernels& k, Case c, bool weighted) {
    std::vector<double> want = c.dense(), history(Case::kNumRows, 0.01);
    const float mean = k.squared_norm(c.x.data(), c.dim) / static_cast<float>(c.dim);
    for (std::size_t j = 0; j < c.n; ++j) {
      const double weight = c.weight(j, weighted);
      double& h = history[c.rows[j]] += weight * weight * mean;
      for (std::size_t i = 0; i < c.dim; ++i) {
        want[c.rows[j] * c.dim + i] -= 0.1 / (std::sqrt(h) + 1e-6) * weight * c.x[i];
      }
    }
    std::vector<float> got(3 * Case::kNumRows, 0.01f);
    const RowUpdate update{.table = c.table.data(),
                           .stride = c.stride,
                           .dim = c.dim,
                           .history = got.data(),
                           .history_stride = 3,
                           .lr = 0.1f,
                           .eps = 1e-6f};
    k.scatter_adagrad(update, c.rows.data(), c.weights_or_null(weighted), c.n, c.x.data(), mean);
    c.check_table(want);
    for (std::size_t r = 0; r < Case::kNumRows; ++r) {
      CHECK(close(got[3 * r], history[r], history[r], 1e-5));
      CHECK(got[3 * r + 1] == 0.01f);
    }
  });
}

TEST_CASE("scatter_adagrad takes its accumulator from the padding of the row") {
  on_every_level([](const Kernels& k) {
    Case c(40, 9);
    for (std::size_t r = 0; r < Case::kNumRows; ++r) c.table[r * c.stride + c.dim] = 0;
    const RowUpdate update{.table = c.table.data(),
                           .stride = c.stride,
                           .dim = c.dim,
                           .history = c.table.data() + c.dim,
                           .history_stride = c.stride,
                           .lr = 0.1f,
                           .eps = 0};
    k.scatter_adagrad(update, c.rows.data(), nullptr, c.n, c.x.data(), 0.25f);
    std::vector<float> want(Case::kNumRows);
    for (const std::uint32_t r : c.rows) want[r] += 0.25f;
    for (std::size_t r = 0; r < Case::kNumRows; ++r) {
      CHECK(c.table[r * c.stride + c.dim] == want[r]);
      CHECK(std::isnan(c.table[r * c.stride + c.dim + 1]));
    }
  });
}

TEST_CASE("gather_rows copies rows and nothing else") {
  for_each_case([](const Kernels& k, const Case& c, bool) {
    const std::size_t out_stride = c.dim + 3;
    Floats out(c.n * out_stride, 9);
    k.gather_rows(c.table.data(), c.stride, c.dim, c.rows.data(), c.n, out.data(), out_stride);
    std::size_t wrong = 0;
    for (std::size_t j = 0; j < c.n; ++j) {
      for (std::size_t i = 0; i < out_stride; ++i) {
        wrong += out[j * out_stride + i] != (i < c.dim ? c.table[c.rows[j] * c.stride + i] : 9);
      }
    }
    CHECK(wrong == 0);
  });
}

TEST_CASE("scatter_rows and scatter_rows_adagrad work on overlapping blocks one after the other") {
  on_every_level([](const Kernels& k) {
    for (const std::size_t dim : {1, 2, 4, 7, 16, 17, 32, 64, 129, 300}) {
      for (const std::size_t n : {0, 1, 3, 40}) {
        CAPTURE(dim);
        CAPTURE(n);
        const std::size_t stride = dim / 3 + 1, size = 5 * stride + dim;
        Floats table = Floats::random(size, 1), history(size, 0.25f);
        const Floats x = Floats::random(9 * dim + dim, 2);
        std::vector<std::uint32_t> rows, sources;
        Rng rng(3);
        for (std::size_t j = 0; j < n; ++j) {
          rows.push_back(static_cast<std::uint32_t>(rng.below(6)));
          sources.push_back(static_cast<std::uint32_t>(rng.below(9 * dim)));
        }
        std::vector<double> added(table.begin(), table.end()), want = added, h(size, 0.25);
        for (std::size_t j = 0; j < n; ++j) {
          for (std::size_t i = 0; i < dim; ++i) {
            const double g = x[sources[j] + i];
            const std::size_t at = rows[j] * stride + i;
            added[at] += -0.3 * g;
            h[at] += g * g;
            want[at] -= 0.1 / (std::sqrt(h[at]) + 1e-6) * g;
          }
        }
        Floats plain = table;
        RowScatter scatter{.table = plain.data(),
                           .stride = stride,
                           .dim = dim,
                           .rows = rows.data(),
                           .sources = sources.data(),
                           .n = n,
                           .x = x.data()};
        k.scatter_rows(scatter, -0.3f);
        scatter.table = table.data();
        k.scatter_rows_adagrad(scatter, history.data(), 0.1f, 1e-6f);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < size; ++i) {
          wrong += !close(plain[i], added[i], 30) + !close(table[i], want[i], 30) +
                   !close(history[i], h[i], h[i], 1e-5);
        }
        CHECK(wrong == 0);
      }
    }
  });
}

TEST_CASE("spread_rows is the formula in 128-bit arithmetic") {
  Rng rng(5);
  on_every_level([&](const Kernels& k) {
    for (const std::size_t n : kSizes) {
      std::vector<std::uint64_t> offsets(n);
      std::vector<std::uint32_t> rows(n), places(n + 1, 77);
      for (std::size_t i = 0; i < n; ++i) {
        offsets[i] = rng.next();
        rows[i] = static_cast<std::uint32_t>(rng.next());
      }
      for (const std::uint32_t range : {1U, 1000U, 0x80000001U, 0xffffffffU}) {
        for (const bool has_offsets : {false, true}) {
          SpreadArgs args{.rows = rows.data(), .n = n, .step = rng.next(), .offset = rng.next()};
          args.range = range;
          args.scale = range == 1000 ? 16 : 1;
          args.offsets = has_offsets ? offsets.data() : nullptr;
          args.places = places.data();
          k.spread_rows(args);
          std::size_t wrong = places[n] != 77;
          for (std::size_t i = 0; i < n; ++i) {
            const std::uint64_t hash =
                rows[i] * args.step + (has_offsets ? offsets[i] : args.offset);
            wrong += places[i] != hash_to_range(hash, range) * args.scale;
          }
          CHECK(wrong == 0);
        }
      }
    }
  });
}
