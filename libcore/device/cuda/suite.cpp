/// Single operations, for tests: each copies its inputs to the device, runs what engines run, and
/// copies its outputs back.
#include "libcore/device/cuda/suite.h"

#include <memory>
#include <string>

#include "libcore/device/cuda/border.h"
#include "libcore/device/cuda/engines/dense_layer.h"
#include "libcore/device/cuda/engines/robe_embedding.h"
#include "libcore/device/cuda/kernels/random_bits.h"
#include "libcore/device/cuda/suite_call.h"

namespace frugal::cuda {
namespace {

/// The tables of the settings with the arrays that the call brings.
class Tables {
 public:
  Tables(const Call& call, const frugal_array* inputs, std::size_t n, bool training)
      : samples_(static_cast<std::uint32_t>(call.settings.number("samples"))) {
    embedding_ = std::make_unique<DeviceEmbedding>(call.settings, samples_, values_.data(),
                                                   training, room_, arrays_);
    const StepValues values{samples_, call.settings.real("rate"), 0, 0, 0};
    call.stream.copy(values_.data(), &values, 1);
    for (std::size_t i = 0; i < n; ++i) {
      if (std::string(inputs[i].name).rfind("embedding.", 0) == 0) {
        call.exchange(arrays_, inputs[i], false);
      }
    }
  }
  DeviceEmbedding& embedding() { return *embedding_; }
  const NamedArrays& arrays() const { return arrays_; }

 private:
  std::uint32_t samples_;
  Room room_{false};
  NamedArrays arrays_;
  DeviceArray<StepValues> values_{1};
  std::unique_ptr<DeviceEmbedding> embedding_;
};

void run_copy(const Arguments& a) {
  const Call& call = a.call;
  call.work([&] { call.stream.copy(call.at<char>("out"), call.at<char>("in"), call.bytes("in")); });
}

/// "out" of "rows".
void run_look_up(const Arguments& a) {
  Call& call = a.call;
  Tables tables(call, a.inputs, a.num_inputs, false);
  call.work([&] { tables.embedding().forward(call.at<std::uint32_t>("rows"), call.stream); });
  call.stream.copy(call.at<float>("out"), tables.embedding().output(), call.size("out"));
  call.stream.wait();
}

/// A step of the tables with "gradient"; outputs: their arrays.
void run_page_step(const Arguments& a) {
  Call& call = a.call;
  Tables tables(call, a.inputs, a.num_inputs, true);
  const auto exchange = [&](bool back) {
    for (std::size_t i = 0; i < a.num_outputs; ++i) {
      const std::string name = a.outputs[i].name;
      if (name != "seconds") call.exchange(tables.arrays(), a.outputs[i], back);
    }
  };
  exchange(false);
  const auto* rows = call.at<std::uint32_t>("rows");
  tables.embedding().forward(rows, call.stream);
  call.stream.copy(tables.embedding().output_gradient(), call.at<float>("gradient"),
                   call.size("gradient"));
  call.work([&] { tables.embedding().step(rows, call.stream); });
  exchange(true);
  call.stream.wait();
}

/// "c" = op(a) op(b) + beta c, then ReLU, then zero where "mask" is not above zero;
/// "library": not in tiles.
void run_multiply(const Arguments& a) {
  Call& call = a.call;
  const auto number = [&](const char* name) {
    return static_cast<std::uint32_t>(call.settings.number(name));
  };
  const bool trans_a = call.settings.flag("trans_a"), trans_b = call.settings.flag("trans_b");
  const bool ones = call.settings.flag("ones");
  Product p{};
  p.m = number("m");
  p.n = p.c_stride = number("n");
  p.k = number("k");
  const std::uint32_t columns = (trans_a ? p.m : p.k) - (ones ? 1 : 0);
  p.a = {call.at<float>("a"), columns, columns, ones};
  p.b = {call.at<float>("b"), trans_b ? p.k : p.n, trans_b ? p.k : p.n, false};
  p.c = call.at<float>("c");
  p.depth = p.k;
  p.beta = call.settings.real("beta");
  p.relu = call.settings.flag("relu");
  p.mask = call.find<float>("mask");
  if (trans_a && trans_b) throw Failure(FRUGAL_UNSUPPORTED, "both transposed");
  const Products of = products_from(call.settings);
  if (!call.settings.flag("library")) {
    return call.work([&] { multiply_in_tiles(p, trans_a, trans_b, of, 1, call.stream); });
  }
  Room room(false);
  const auto library = ProductLibrary::load(room);
  const DeviceArray<std::uint32_t> rows(1);
  call.stream.copy(rows.data(), trans_a ? &p.k : &p.m, 1);
  p.rows = rows.data();
  call.work([&] {
    if (library == nullptr || !multiply_by(*library, p, trans_a, trans_b, of, call.stream)) {
      throw Failure(FRUGAL_UNSUPPORTED, "no library makes this product");
    }
  });
}

void run_sort(const Arguments& a) {
  Call& call = a.call;
  const std::uint64_t n = call.size("keys");
  const DeviceArray<std::uint8_t> room(sort_room(n));
  call.work([&] {
    sort_pairs({call.at<std::uint32_t>("keys"), call.at<std::uint32_t>("values"),
                call.at<std::uint32_t>("sorted_keys"), call.at<std::uint32_t>("sorted_values"), n},
               room.data(), room.bytes(), call.stream);
  });
}

void run_dropout(const Arguments& a) {
  const auto n = static_cast<std::uint32_t>(a.call.size("x"));
  launch(dropout, grid_for(n), dim3(kThreads), a.call.stream, a.call.at<float>("x"), n,
         static_cast<std::uint32_t>(a.call.settings.number("key")),
         static_cast<std::uint32_t>(a.call.settings.number("threshold")),
         a.call.settings.real("scale"));
}

void run_to_bf16_at_random(const Arguments& a) {
  const auto n = static_cast<std::uint32_t>(a.call.size("x"));
  launch(to_bf16_at_random, grid_for(n), dim3(kThreads), a.call.stream,
         static_cast<const float*>(a.call.at<float>("x")), a.call.at<std::uint16_t>("y"), n,
         static_cast<std::uint32_t>(a.call.settings.number("key")));
}

constexpr Operation kOperations[] = {
    {"copy", run_copy},
    {"look_up", run_look_up},
    {"page_step", run_page_step},
    {"multiply", run_multiply},
    {"sort_pairs", run_sort},
    {"dropout", run_dropout},
    {"to_bf16_at_random", run_to_bf16_at_random},
    {nullptr, nullptr},
};
/// The i-th of all, or null.
const Operation* operation(std::size_t i) {
  for (const Operation* table : {kOperations, temporal_operations(), label_operations()}) {
    for (; table->name != nullptr; ++table) {
      if (i-- == 0) return table;
    }
  }
  return nullptr;
}

const char* const* operation_names() {
  constexpr std::size_t kMost = 64;
  static const char* names[kMost];
  for (std::size_t i = 0; i + 1 < kMost && operation(i) != nullptr; ++i) {
    names[i] = operation(i)->name;
  }
  return names;
}

int run_operation(int device, const char* name, const frugal_setting* settings,
                  std::size_t num_settings, const frugal_array* inputs, std::size_t num_inputs,
                  const frugal_array* outputs, std::size_t num_outputs, frugal_message error) {
  return guarded(error, [&] {
    check(cudaSetDevice(device), "cudaSetDevice");
    for (std::size_t i = 0; const Operation* known = operation(i); ++i) {
      if (std::strcmp(known->name, name) != 0) continue;
      Call call(settings, num_settings, inputs, num_inputs, outputs, num_outputs);
      known->run({call, inputs, outputs, num_inputs, num_outputs});
      return call.finish();
    }
    throw Failure(FRUGAL_UNSUPPORTED, std::string("no operation ") + name);
  });
}

}  // namespace

const frugal_suite_table* suite_table() {
  static const frugal_suite_table table{sizeof table, operation_names(), run_operation};
  return &table;
}

}  // namespace frugal::cuda
