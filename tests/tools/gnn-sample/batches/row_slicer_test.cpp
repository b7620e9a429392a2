#include "tools/gnn-sample/batches/row_slicer.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <numeric>
#include <vector>

#include "libcore/embedding/embedding_methods.h"
#include "libcore/system/mapped_memory.h"
#include "tests/support/text_file.h"

using namespace frugal;
using namespace frugal::gnn;

TEST_CASE("Rows are copied in the order of the nodes, as they are stored") {
  std::vector<std::uint16_t> stored(30 * 5);
  for (std::size_t i = 0; i < stored.size(); ++i) stored[i] = static_cast<std::uint16_t>(i);
  FeatureView features;
  features.dtype = Dtype::bf16;
  features.data = reinterpret_cast<const std::byte*>(stored.data());
  features.rows = 30;
  features.dim = 5;
  const RowSlicer slicer(features);
  CHECK(slicer.dtype() == Dtype::bf16);
  const std::vector<NodeId> nodes = {29, 0, 7, 7, 11, 3, 4, 5, 6, 8, 9, 10};
  std::vector<std::uint16_t> rows(nodes.size() * 5);
  slicer.slice(nodes, reinterpret_cast<std::byte*>(rows.data()));
  for (std::size_t i = 0; i < rows.size(); ++i) CHECK(rows[i] == nodes[i / 5] * 5 + i % 5);
}

TEST_CASE("Rows of bytes become numbers by their scales") {
  const std::vector<std::int8_t> stored = {1, -2, 3, 127, -127, 0};
  const std::vector<float> scales = {0.5F, 2};
  FeatureView features;
  features.dtype = Dtype::i8;
  features.data = reinterpret_cast<const std::byte*>(stored.data());
  features.rows = 2;
  features.dim = 3;
  features.scales = scales;
  const RowSlicer slicer(features);
  CHECK(slicer.dtype() == Dtype::f32);
  CHECK(slicer.row_bytes() == 12);
  std::vector<float> rows(6);
  slicer.slice(std::vector<NodeId>{1, 0}, reinterpret_cast<std::byte*>(rows.data()));
  CHECK(rows == std::vector<float>{254, -254, 0, 0.5F, -1, 1.5F});
}

TEST_CASE("Sparse rows are copied with their zeros") {
  const std::vector<std::uint64_t> offsets = {0, 2, 2, 3};
  const std::vector<std::uint32_t> columns = {0, 3, 1};
  const std::vector<std::uint16_t> values = {7, 8, 9};
  FeatureView features;
  features.rows = 3;
  features.dim = 4;
  features.offsets = offsets.data();
  features.columns = columns.data();
  const std::vector<NodeId> nodes = {2, 0, 1, 0};
  std::vector<float> ones(16, -1);
  RowSlicer(features).slice(nodes, reinterpret_cast<std::byte*>(ones.data()));
  CHECK(ones == std::vector<float>{0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1});
  features.dtype = Dtype::f16;
  features.data = reinterpret_cast<const std::byte*>(values.data());
  std::vector<std::uint16_t> halves(16, 1);
  RowSlicer(features).slice(nodes, reinterpret_cast<std::byte*>(halves.data()));
  CHECK(halves == std::vector<std::uint16_t>{0, 9, 0, 0, 7, 0, 0, 8, 0, 0, 0, 0, 7, 0, 0, 8});
}

TEST_CASE("Rows of an array are those that it stands for") {
  EmbeddingOptions options;
  options.compression = 3;
  options.hash.block = 4;
  const TableSet tables({{"nodes", 50}}, 10);
  const auto array = make_embedding(tables, options, {});
  FeatureView features;
  features.rows = 50;
  features.dim = 10;
  features.array = array.get();
  const RowSlicer slicer(features);
  CHECK(slicer.dtype() == Dtype::f32);
  const std::vector<NodeId> nodes = {49, 0, 7, 7};
  std::vector<float> expected(40);
  array->lookup_table(0, nodes.data(), nodes.size(), {expected.data(), 4, 10});
  Array<std::byte> room;
  const FeatureView rows = slicer.make_room(nodes.size(), room);
  slicer.slice(nodes, room.data());
  CHECK(rows.row_bytes() == slicer.row_bytes());
  CHECK(std::memcmp(rows.data, expected.data(), 40 * sizeof(float)) == 0);
}

TEST_CASE("Rows in a file are read ahead, and no others") {
  constexpr std::size_t kRows = 3000, kColumns = 700;
  const TextFile file("");
  {
    std::ofstream out(file.path(), std::ios::binary);
    std::vector<float> row(kColumns);
    for (std::size_t r = 0; r < kRows; ++r) {
      std::iota(row.begin(), row.end(), static_cast<float>(r));
      out.write(reinterpret_cast<const char*>(row.data()), kColumns * sizeof(float));
    }
  }
  const MappedMemory map(file.path());
  map.expect_random_reads(0, map.size());
  FeatureView features;
  features.data = map.data();
  features.rows = kRows;
  features.dim = kColumns;
  features.in_file = true;
  // Where the file system keeps files in memory, nothing is read.
  const int descriptor = open(file.path().c_str(), O_RDONLY);
  REQUIRE(descriptor >= 0);
  fsync(descriptor);
  posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
  close(descriptor);
  const bool is_dropped = !is_resident(features.row(1000)) && !is_resident(features.row(2000));
  const std::vector<NodeId> nodes = {2999, 0, 1, 2, 1500, 1501, 2998, 7, 7};
  features.read_ahead(nodes);
  for (int i = 0; i < 1000 && !is_resident(features.row(2999)); ++i) usleep(10000);
  CHECK(is_resident(features.row(2999)));
  CHECK(is_resident(features.row(1000)) == !is_dropped);
  CHECK(is_resident(features.row(2000)) == !is_dropped);
  std::vector<float> rows(nodes.size() * kColumns);
  RowSlicer(features).slice(nodes, reinterpret_cast<std::byte*>(rows.data()));
  for (std::size_t i = 0; i < rows.size(); i += 233) {
    CHECK(rows[i] == static_cast<float>(nodes[i / kColumns] + i % kColumns));
  }
}
