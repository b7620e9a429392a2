#include "libcore/base/array.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "libcore/base/hash.h"
#include "libcore/base/view.h"

using namespace frugal;

TEST_CASE("an array is aligned, zeroed, and survives a move") {
  for (std::size_t n : {0, 1, 15, 1 << 10, 3 << 20}) {
    Array<float> a(n);
    CHECK(reinterpret_cast<std::uintptr_t>(a.data()) % 64 == 0);
    for (float x : a) CHECK(x == 0);
    if (n) a[n - 1] = 7;
    Array<float> b = std::move(a);
    CHECK(b.size() == n);
    if (n) CHECK(b[n - 1] == 7);
    const Array<float> c = b.clone();
    CHECK(std::vector<float>(b.begin(), b.end()) == std::vector<float>(c.begin(), c.end()));
  }
}

TEST_CASE("a view reads the elements of others and leaves them to them") {
  const std::vector<float> values = {1, 2, 3};
  {
    Array<float> view = Array<float>::view_of(values);
    Array<float> moved(5);
    moved = std::move(view);
    CHECK(moved.size() == 3);
    CHECK(moved[2] == 3);
    CHECK(moved.data() == values.data());
    CHECK(moved.clone().data() != values.data());
  }
  CHECK(values[1] == 2);
}

TEST_CASE("large arrays begin at a huge page") {
  Array<char> a(5 << 20);
  CHECK(reinterpret_cast<std::uintptr_t>(a.data()) % (2 << 20) == 0);
}

TEST_CASE("an impossible size throws and leaks nothing") {
  CHECK_THROWS_AS(Array<double>(std::size_t{1} << 62), std::bad_alloc);
}

TEST_CASE("a matrix view steps by its stride") {
  float data[12] = {0, 1, 2, -1, 4, 5, 6, -1, 8, 9, 10, -1};
  MatrixView<float> view(data, 3, 3, 4);
  CHECK(view(1, 2) == 6);
  CHECK(view.rows_between(1, 3)(1, 0) == 8);
  MatrixView<const float> constant = view;
  CHECK(constant.row(2)[1] == 9);
}

TEST_CASE("hash_to_range stays in range and mix64 is a bijection on a sample") {
  for (std::uint64_t n : {1ull, 2ull, 3ull, 1000003ull}) {
    for (std::uint64_t i = 0; i < 1000; ++i) CHECK(hash_to_range(mix64(i), n) < n);
  }
  CHECK(hash_to_range(~0ull, 10) == 9);
  CHECK(hash_bytes("frugal") == hash_bytes("frugal"));
  CHECK(hash_bytes("frugal") != hash_bytes("Frugal"));
  CHECK(hash_bytes("frugal", 1) != hash_bytes("frugal", 2));
}
