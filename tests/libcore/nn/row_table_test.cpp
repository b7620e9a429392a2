#include "libcore/nn/row_table.h"

#include <doctest/doctest.h>

#include <cstdint>

using namespace frugal;

TEST_CASE("rows begin at cache lines, state lies behind the weights") {
  RowTable table(5, 20, 3);
  CHECK(table.stride() == 32);
  for (std::size_t r = 0; r < 5; ++r) {
    CHECK(reinterpret_cast<std::uintptr_t>(table.row(r)) % 64 == 0);
    CHECK(table.state(r) == table.row(r) + 20);
    CHECK(&table.weights()(r, 19) + 1 == &table.states()(r, 0));
    for (std::size_t i = 0; i < 32; ++i) CHECK(table.row(r)[i] == 0);
  }
  CHECK(table.weights().cols == 20);
  CHECK(table.states().cols == 3);
}
