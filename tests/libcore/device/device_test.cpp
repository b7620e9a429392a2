#include "libcore/device/device.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/rng.h"
#include "libcore/device/registry.h"

using namespace frugal;

namespace {

void use_plugins(const std::string& fault) {
  setenv("FRUGAL_PLUGIN_DIR", (std::string(FAKE_PLUGINS) + "/" + fault).c_str(), 1);
}

std::vector<float> random_floats(std::size_t n, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<float> values(n);
  for (float& v : values) v = static_cast<float>(rng.uniform(-1, 1));
  return values;
}

template <class T>
std::unique_ptr<DeviceBuffer> put(Device& device, const std::vector<T>& values) {
  auto buffer = device.allocate(values.size() * sizeof(T));
  device.upload(*buffer, values.data(), values.size() * sizeof(T));
  return buffer;
}

std::vector<float> get(Device& device, const DeviceBuffer& buffer) {
  std::vector<float> values(buffer.bytes() / sizeof(float));
  device.download(values.data(), buffer, buffer.bytes());
  return values;
}

/// Every operation against double precision at awkward sizes; what a device does not support is
/// passed by.
void check_operations(Device& device) {
  const char sent = 'x';
  char received = 0;
  auto byte = device.allocate(1);
  device.upload(*byte, &sent, 1);
  device.download(&received, *byte, 1);
  CHECK(received == sent);
  for (std::size_t n : {0, 1, 7, 33, 1000}) {
    const auto x = random_floats(n, 1), y = random_floats(n, 2);
    auto dx = put(device, x), dy = put(device, y);
    device.axpy(0.5f, *dx, *dy, n);
    const auto got = get(device, *dy);
    for (std::size_t i = 0; i < n; ++i) CHECK(std::abs(got[i] - (y[i] + 0.5 * x[i])) <= 1e-6);
  }
  const auto table = random_floats(50 * 9, 3);
  const std::vector<std::uint32_t> rows{49, 0, 7, 7, 31};
  auto dtable = put(device, table), drows = put(device, rows);
  auto dout = device.allocate(rows.size() * 9 * sizeof(float));
  device.gather_rows(*dtable, 9, *drows, rows.size(), *dout);
  const auto gathered = get(device, *dout);
  for (std::size_t i = 0; i < gathered.size(); ++i)
    CHECK(gathered[i] == table[rows[i / 9] * 9 + i % 9]);

  for (const auto& [m, n, k] : {Device::GemmShape{1, 1, 1}, {5, 17, 3}, {16, 33, 64}}) {
    const auto a = random_floats(m * k, 4), b = random_floats(k * n, 5);
    auto da = put(device, a), db = put(device, b);
    auto dc = device.allocate(m * n * sizeof(float));
    device.gemm(*da, *db, *dc, {m, n, k});
    const auto c = get(device, *dc);
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        double want = 0, size = 0;
        for (std::size_t l = 0; l < k; ++l) {
          want += double(a[i * k + l]) * b[l * n + j];
          size += std::abs(double(a[i * k + l]) * b[l * n + j]);
        }
        CHECK(std::abs(c[i * n + j] - want) <= 1e-6 * size);
      }
    }
  }
}

}  // namespace

TEST_CASE("every device agrees with double precision on every operation") {
  SUBCASE("cpu") { check_operations(*make_cpu_device()); }
  SUBCASE("plug-in") {
    use_plugins("none");
    const PluginStatus status = load_plugin("cuda");
    REQUIRE_MESSAGE(status.usable, status.reason);
    auto device = make_plugin_device(*status.plugin, 0);
    CHECK(device->kind() == "cuda");
    CHECK(device->name() == "Fake device");
    CHECK(device->memory_bytes() == 1 << 20);
    check_operations(*device);
  }
}

TEST_CASE("no command has an engine for a plug-in, one that works included") {
  use_plugins("none");
  REQUIRE(load_plugin("cuda").usable);
  CHECK_NOTHROW(check_device("auto", "sparse-train train"));
  CHECK_NOTHROW(check_device("cpu", "sparse-train train"));
  try {
    check_device("cuda", "sparse-train train");
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::unavailable);
    CHECK(std::string(error.what()) ==
          "--device cuda: sparse-train train has no engine for it, expected auto or cpu");
  }
}

TEST_CASE("a plug-in that does not fit is refused with its reason") {
  const std::vector<std::pair<std::string, std::string>> reasons{
      {"abi", "made for plug-in interface 2, this program has 1"},
      {"size", "its struct has"},
      {"score", "cannot run here: the fake has no driver"},
      {"entry", "has no frugal_plugin_entry()"},
      {"hole", "leaves a function of its struct empty"},
      {"missing", "no libfrugal_cuda.so in"}};
  for (const auto& [binding, reason] : reasons) {
    const std::string& fault = binding;  // clang 14 captures no structured binding
    CAPTURE(fault);
    use_plugins(fault);
    const PluginStatus status = load_plugin("cuda");
    CHECK_FALSE(status.usable);
    CHECK(status.reason.find(reason) != std::string::npos);
  }
}

TEST_CASE("an error inside a plug-in arrives with its words") {
  use_plugins("none");
  auto device = make_plugin_device(*load_plugin("cuda").plugin, 0);
  CHECK_THROWS_WITH_AS(device->allocate(2 << 20), "device cuda 0: allocate: only 1 MiB here",
                       Error);
}
