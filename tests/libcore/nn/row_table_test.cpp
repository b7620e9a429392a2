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

TEST_CASE("rows whose first columns are bf16 take less room and are copied in and out") {
  RowTable table(5, 20, 3, 19);
  CHECK(table.stride() == 16);  // 10 floats with bf16, the last column, state
  float row[20], back[20];
  for (std::size_t i = 0; i < 20; ++i) row[i] = static_cast<float>(i) + 1;
  row[19] = 1.00001F;
  table.write(2, row, 7);
  table.states()(2, 0) = 5;
  table.read(2, back);
  for (std::size_t i = 0; i < 20; ++i) CHECK(back[i] == row[i]);
  CHECK(*table.state(2) == 5);
  CHECK(table.states().row(2) == table.state(2));
  row[0] = 1 + 1.0F / 512;
  table.write(2, row, 7);
  table.read(2, back);
  CHECK((back[0] == 1 || back[0] == 1 + 1.0F / 128));
  std::vector<float> room;
  const MatrixView<const float> some = table.rows_between(1, 3, room);
  CHECK(some.rows == 2);
  CHECK(some(1, 4) == 5);
  CHECK(some(0, 4) == 0);
  const RowTable floats(3, 4, 1);
  CHECK(floats.rows_between(1, 2, room).data == floats.row(1));
}
