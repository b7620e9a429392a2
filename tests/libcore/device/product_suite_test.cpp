// Products of matrices against double precision: in tiles, and by a library that is loaded.
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "libcore/kernels/kernels.h"
#include "tests/libcore/device/every_order.h"
#include "tests/libcore/device/suite_runner.h"

using namespace frugal;
using namespace frugal::device_test;

namespace {

/// C [m, n] = op(A) op(B), A with a column of ones behind its last or without.
struct Form {
  std::size_t m, n, k;
  bool trans_a, trans_b, ones, halves, library;

  std::size_t stored() const { return (trans_a ? m : k) - (ones ? 1 : 0); }
  /// Rows of C that are made: the library leaves out that of sums.
  std::size_t rows() const { return library && trans_a && ones ? m - 1 : m; }
  EngineSettings settings() const {
    const auto flag = [](bool is) { return std::string(is ? "1" : "0"); };
    return {{"m", std::to_string(m)},
            {"n", std::to_string(n)},
            {"k", std::to_string(k)},
            {"trans_a", flag(trans_a)},
            {"trans_b", flag(trans_b)},
            {"ones", flag(ones)},
            {"beta", "0.5"},
            {"relu", flag(ones)},
            {"precision", halves ? "bf16" : "f32"},
            {"library", flag(library)}};
  }
  /// Bound of the error, relative to the sum of magnitudes. Tensor cores truncate what they add up
  /// of halves: up to 17 times 2^-24 of the largest part. A library may leave halves unrounded.
  double bound() const {
    if (!halves) return 1e-6;
    return library ? 0x1p-7 : 4e-6;
  }
};

std::vector<Form> forms(bool library) {
  std::vector<Form> all;
  const std::size_t sizes[][3] = {{1, 1, 1}, {5, 17, 3}, {65, 33, 70}, {64, 64, 64}, {130, 1, 31}};
  for (const auto& [m, n, k] : sizes) {
    for (const int transposed : {0, 1, 2}) {
      for (const int variant : {0, 1, 2}) {
        const Form form{m,      n, k, transposed == 2, transposed == 1, variant == 1, variant == 2,
                        library};
        if (form.ones && form.trans_b) continue;
        if (library && form.stored() == 0) continue;  // nothing but ones
        all.push_back(form);
      }
    }
  }
  return all;
}

/// Numbers of C that are not what double precision makes them.
std::size_t num_wrong(const Suite& suite, const Form& f) {
  const auto rounded = [&](float x) {
    return f.halves ? double(to_float(to_bfloat16(x))) : double(x);
  };
  const std::size_t stored = f.stored();
  std::vector<float> a = random_floats((f.trans_a ? f.k : f.m) * stored, 4);
  std::vector<float> b = random_floats(f.k * f.n, 5), mask = random_floats(f.m * f.n, 8);
  const std::vector<float> c = random_floats(f.m * f.n, 6);
  std::vector<float> got = c;
  suite.run("multiply", f.settings(), {array("a", a), array("b", b), array("mask", mask)},
            {array("c", got)});
  const auto at_a = [&](std::size_t i, std::size_t l) {
    const std::size_t row = f.trans_a ? l : i, column = f.trans_a ? i : l;
    return column == stored ? 1.0 : rounded(a[row * stored + column]);
  };
  const auto at_b = [&](std::size_t l, std::size_t j) {
    return rounded(f.trans_b ? b[j * f.k + l] : b[l * f.n + j]);
  };
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < f.rows(); ++i) {
    for (std::size_t j = 0; j < f.n; ++j) {
      double want = 0.5 * double(c[i * f.n + j]), size = std::abs(want);
      for (std::size_t l = 0; l < f.k; ++l) {
        want += at_a(i, l) * at_b(l, j);
        size += std::abs(at_a(i, l) * at_b(l, j));
      }
      if (f.ones) want = std::max(want, 0.0);
      if (!(mask[i * f.n + j] > 0)) want = 0;
      wrong += std::abs(double(got[i * f.n + j]) - want) <= f.bound() * size ? 0 : 1;
    }
  }
  return wrong;
}

void check(const Suite& suite, const Form& form) {
  CAPTURE(form.m);
  CAPTURE(form.trans_a);
  CAPTURE(form.trans_b);
  CAPTURE(form.ones);
  CAPTURE(form.halves);
  const std::size_t wrong = num_wrong(suite, form);
  CHECK(wrong == 0);
}

/// The library of a machine may find no way to make a product, which engines make in tiles then.
/// Returns whether it found one; the library of these tests, `ours`, finds every way.
bool check_by_library(const Suite& suite, const Form& form, bool ours) {
  try {
    check(suite, form);
  } catch (const Error& error) {
    if (ours || error.what() != std::string("multiply: no library makes this product")) throw;
    return false;
  }
  return true;
}

}  // namespace

TEST_CASE("products agree with double precision within the bound of their sums") {
  const Suite suite;
  for (const Form& form : forms(false)) in_every_order([&] { check(suite, form); });
}

TEST_CASE("products of a group are those that are made alone, but for rows with empty lists") {
  const Suite suite;
  std::vector<std::uint32_t> lists(1, 0);
  std::string ends = "1";
  std::size_t m = 1;
  for (std::size_t i = 0; i < 20; ++i) {  // more than one launch takes
    m += 1 + 13 * i % 70;
    ends += "-" + std::to_string(m);
  }
  for (std::size_t r = 0; r < m; ++r) lists.push_back(lists.back() + (r % 5 == 0 ? 0 : 2));
  for (const bool halves : {false, true}) {
    const Form f{m, 70, 37, false, false, false, halves, false};
    std::vector<float> a = random_floats(f.m * f.k, 4), b = random_floats(f.k * f.n, 5);
    std::vector<float> mask(f.m * f.n), want(f.m * f.n);
    for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = i / f.n % 5 == 0 ? 0 : 1;
    suite.run("multiply", f.settings(), {array("a", a), array("b", b), array("mask", mask)},
              {array("c", want)});
    in_every_order([&] {
      std::vector<float> got(f.m * f.n);
      EngineSettings settings = f.settings();
      settings.emplace_back("ends", ends);
      suite.run("multiply_group", settings, {array("a", a), array("b", b), array("lists", lists)},
                {array("c", got)});
      CHECK(same_bits(got, want));
    });
  }
}

TEST_CASE("products by a library agree with double precision, too") {
  const Suite suite;
  // With the plug-in of a GPU the machine's own library takes the place of the tests'.
  const bool ours = std::getenv("FRUGAL_TEST_PLUGINS") == nullptr;
  if (ours) {
    CHECK_THROWS_WITH(num_wrong(suite, forms(true)[0]), "multiply: no library makes this product");
    setenv("FRUGAL_CUBLASLT", "no/such.so", 1);
    CHECK_THROWS_WITH(num_wrong(suite, forms(true)[0]),
                      "multiply: FRUGAL_CUBLASLT=no/such.so is not an absolute path");
    setenv("FRUGAL_CUBLASLT", "/no/such.so", 1);
    CHECK_THROWS_WITH(num_wrong(suite, forms(true)[0]),
                      "multiply: FRUGAL_CUBLASLT=/no/such.so is no cuBLASLt that works here");
    setenv("FRUGAL_CUBLASLT", FAKE_CUBLASLT, 1);
  }
  std::size_t made = 0;
  for (const Form& form : forms(true)) made += check_by_library(suite, form, ours) ? 1 : 0;
  // CUBLASLT_DIR: where tests/bench/device/first_run.py has found the machine's library.
  if (ours || std::getenv("CUBLASLT_DIR") != nullptr) CHECK(made > 0);
  if (!ours) return;
  setenv("FAKE_CUBLASLT_FINDS", "nothing", 1);
  CHECK_THROWS(num_wrong(suite, forms(true)[0]));
  CHECK(!check_by_library(suite, forms(true)[0], false));
  unsetenv("FAKE_CUBLASLT_FINDS");
  setenv("FRUGAL_CUBLASLT", "off", 1);
  CHECK_THROWS(num_wrong(suite, forms(true)[0]));
  unsetenv("FRUGAL_CUBLASLT");
}

TEST_CASE("a product is timed in a graph of its rounds, and its result stays the same") {
  const Suite suite;
  Form form{65, 33, 70, false, false, false, false, false};
  EngineSettings settings = form.settings();
  for (auto& [name, value] : settings) value = name == "beta" ? "0" : value;
  std::vector<float> a = random_floats(65 * 70, 4), b = random_floats(70 * 33, 5);
  std::vector<float> plain(65 * 33), timed(plain.size());
  suite.run("multiply", settings, {array("a", a), array("b", b)}, {array("c", plain)});
  settings.emplace_back("rounds", "3");
  std::vector<double> seconds(1);
  suite.run("multiply", settings, {array("a", a), array("b", b)},
            {array("c", timed), array("seconds", seconds)});
  CHECK(same_bits(plain, timed));
  CHECK(seconds[0] > 0);
}
