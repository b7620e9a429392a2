#include "tests/libcore/kernels/every_level.h"

using namespace frugal;

namespace {

/// Vectors with their first apart, and plain doubles of them.
struct PairsCase {
  std::size_t count, dim;
  bool has_first, diagonal;
  Floats first, rest, gradient, scratch;

  PairsCase(std::size_t count_, std::size_t dim_, bool has_first_, bool diagonal_)
      : count(count_),
        dim(dim_),
        has_first(has_first_),
        diagonal(diagonal_),
        first(Floats::random(has_first_ ? dim_ : 0, 1)),
        rest(Floats::random((count_ - (has_first_ ? 1 : 0)) * dim_, 2)),
        gradient(Floats::random(num_pairs(count_, diagonal_), 3)),
        scratch(pair_scratch_size(count_, dim_), std::nanf("")) {}

  double at(std::size_t i, std::size_t d) const {
    return has_first ? (i == 0 ? first[d] : rest[(i - 1) * dim + d]) : rest[i * dim + d];
  }
  PairDots args() {
    return {has_first ? first.data() : nullptr, rest.data(), count, dim, diagonal, scratch.data()};
  }
  /// body(i, j, number of the pair)
  template <class Body>
  void for_each_pair(Body body) const {
    std::size_t number = 0;
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < i + (diagonal ? 1 : 0); ++j) body(i, j, number++);
    }
  }

  std::size_t count_wrong_dots(const Kernels& k) {
    Floats dots(gradient.size(), std::nanf(""));
    k.pair_dots(args(), dots.data());
    std::size_t wrong = 0;
    for_each_pair([&](std::size_t i, std::size_t j, std::size_t number) {
      double sum = 0, size = 0;
      for (std::size_t d = 0; d < dim; ++d) {
        sum += at(i, d) * at(j, d);
        size += std::abs(at(i, d) * at(j, d));
      }
      wrong += !close(dots[number], sum, size);
    });
    return wrong;
  }

  std::size_t count_wrong_gradients(const Kernels& k) {
    Floats dfirst(first.size(), std::nanf("")), drest(rest.size(), std::nanf(""));
    k.pair_dots_backward(args(), gradient.data(), dfirst.data(), drest.data());
    std::vector<double> want(count * dim);
    for_each_pair([&](std::size_t i, std::size_t j, std::size_t number) {
      for (std::size_t d = 0; d < dim; ++d) {
        want[i * dim + d] += double(gradient[number]) * at(j, d);
        want[j * dim + d] += double(gradient[number]) * at(i, d);
      }
    });
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < want.size(); ++i) {
      const float got = i < first.size() ? dfirst[i] : drest[i - first.size()];
      wrong += !close(got, want[i], static_cast<double>(count));
    }
    return wrong;
  }
};

}  // namespace

TEST_CASE("dots of all pairs and their gradients agree with double precision") {
  on_every_level([](const Kernels& k) {
    for (const std::size_t count : {1, 2, 7, 8, 9, 16, 17, 27, 33, 64}) {
      for (const std::size_t dim : {1, 4, 7, 16, 19, 32, 128}) {
        CAPTURE(count);
        CAPTURE(dim);
        PairsCase c(count, dim, count % 2 != 0, (count + dim) % 3 == 0);
        CHECK(c.count_wrong_dots(k) == 0);
        CHECK(c.count_wrong_gradients(k) == 0);
      }
    }
  });
}

TEST_CASE("no vectors have no pairs") {
  on_every_level([](const Kernels& k) {
    CHECK(num_pairs(0, false) == 0);
    k.pair_dots({}, nullptr);
    k.pair_dots_backward({}, nullptr, nullptr, nullptr);
  });
}
