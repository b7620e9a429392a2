/// Operations of temporal graph networks, for tests.
#include <algorithm>

#include "libcore/device/cuda/engines/device_vector.h"
#include "libcore/device/cuda/kernels/graph/neighbor_attention.h"
#include "libcore/device/cuda/kernels/graph/node_memory.h"
#include "libcore/device/cuda/kernels/graph/query_rows.h"
#include "libcore/device/cuda/kernels/graph/recurrent.h"
#include "libcore/device/cuda/suite_call.h"

namespace frugal::cuda {
namespace {

TimeWeights time_of(const Call& call) {
  return {call.at<float>("w"), call.at<float>("b"), static_cast<std::uint32_t>(call.size("w"))};
}

/// "out" [n, dim] of "dt" [n], "w" and "b" [dim]; "n": one number. "constant" [columns]: the
/// encoding of 0 times "weights" [dim, columns].
void run_encode_times(const Arguments& a) {
  const Call& call = a.call;
  const TimeWeights time = time_of(call);
  const auto columns = static_cast<std::uint32_t>(call.size("constant"));
  StepBeginning beginning{};
  beginning.add(
      {time, call.at<std::uint32_t>("n"), call.at<double>("dt"), nullptr, 0, call.at<float>("out")},
      static_cast<std::uint32_t>(call.size("dt")));
  beginning.add(
      {time, nullptr, nullptr, call.at<float>("weights"), columns, call.at<float>("constant")}, 1);
  a.call.work([&] {
    launch(begin_step, grid_of_rows(beginning.ends[2]), block_of_rows(), call.stream, beginning);
  });
}

void sum(const Call& call, const RowSum& sum) {
  call.work([&] {
    LateGradients late(call.stream);
    late.add(sum);
    late.run();
  });
}

/// "by_w" and "by_b" [kLateParts, dim] by "gradient" [n, dim].
void run_time_gradients(const Arguments& a) {
  const Call& call = a.call;
  const TimeWeights time = time_of(call);
  sum(call,
      {call.at<std::uint32_t>("n"), call.at<float>("gradient"), nullptr, time.dim, time.dim,
       nullptr, 1, time, call.at<double>("dt"), call.at<float>("by_w"), call.at<float>("by_b")});
}

/// "sums" [kSumParts, columns] of "x" [n, columns], with "factors" [n, columns / group], and beta
/// times what is there; "late_sums" [kLateParts, columns] without.
void run_column_sums(const Arguments& a) {
  const Call& call = a.call;
  const auto columns = static_cast<std::uint32_t>(call.size("sums") / kSumParts);
  const auto group = static_cast<std::uint32_t>(call.settings.number("group"));
  const auto* rows = call.at<std::uint32_t>("n");
  a.call.work([&] {
    sum_columns(rows, {call.at<float>("x"), columns}, columns, call.find<float>("factors"), group,
                kSumParts, call.settings.real("beta"), call.at<float>("sums"), call.stream);
  });
  sum(call, {rows,
             call.at<float>("x"),
             nullptr,
             columns,
             columns,
             call.find<float>("factors"),
             group,
             {},
             nullptr,
             call.at<float>("late_sums"),
             nullptr});
}

/// Rows up to which gradients are zero.
std::uint32_t zero_of(const Call& call) {
  return static_cast<std::uint32_t>(call.settings.number("zero"));
}

CellRows cell_of(const Call& call) {
  const auto dim = static_cast<std::uint32_t>(call.settings.number("dim"));
  return {nullptr,
          call.at<std::uint32_t>("n"),
          call.at<std::uint32_t>("updates"),
          dim,
          call.at<float>("rz"),
          call.at<float>("nx"),
          call.at<float>("nh"),
          static_cast<std::uint32_t>(call.settings.number("parts")),
          call.size("own") / dim,
          call.at<float>("own"),
          dim,
          call.at<float>("made"),
          call.at<float>("slots"),
          false};
}

/// "rz" [parts, n, 2 dim], "nx", "nh" [parts, n, dim], "own", "made" [n, dim], "slots", "updates"
/// [n, 4].
void run_gru_forward(const Arguments& a) {
  a.call.work([&] {
    launch(gru_forward, grid_for(a.call.size("own")), dim3(kThreads), a.call.stream,
           cell_of(a.call));
  });
}
void run_gru_backward(const Arguments& a) {
  a.call.work([&] {
    launch(gru_backward, grid_for(a.call.size("nx")), dim3(kThreads), a.call.stream,
           cell_of(a.call), static_cast<const float*>(a.call.at<float>("dout")), zero_of(a.call));
  });
}

NeighborRows neighbors_of(const Call& call) {
  const auto dim = [&](const char* name) {
    return static_cast<std::uint32_t>(call.settings.number(name));
  };
  return {call.at<std::uint32_t>("n"),
          call.at<std::uint32_t>("offsets"),
          call.at<std::uint32_t>("neighbors"),
          call.at<float>("below"),
          dim("below_dim"),
          {call.at<float>("edges"), dim("edge_dim"), false},
          call.at<float>("times"),
          dim("time_dim")};
}
AttentionRows attention_of(const Call& call) {
  return {static_cast<std::uint32_t>(call.settings.number("heads")),
          call.settings.real("scale"),
          call.at<float>("query"),
          call.at<float>("weights"),
          call.at<float>("kept"),
          call.at<std::uint32_t>("owner"),
          call.at<float>("out"),
          call.at<float>("sums"),
          call.at<float>("bias"),
          1,
          call.find<float>("values")};
}
Keep keep_of(const Call& call) {
  return {call.at<std::uint32_t>("key"),
          static_cast<std::uint32_t>(call.settings.number("threshold")),
          call.settings.real("factor")};
}
dim3 grid_of_heads(const Call& call) {
  const std::uint64_t queries = std::max<std::uint64_t>(call.size("offsets") - 1, zero_of(call));
  return grid_of_blocks(queries * call.settings.number("heads"));
}

/// "below" [.., below_dim], "neighbors" [.., 2], "edges", "times", "offsets" [n + 1], "query" [n,
/// heads, width], "key": "weights", "kept" [neighbours, heads], "owner" [neighbours], "out",
/// "sums".
void run_attention_forward(const Arguments& a) {
  a.call.work([&] {
    launch(attention_forward, grid_of_heads(a.call), block_of_rows(), a.call.stream,
           neighbors_of(a.call), attention_of(a.call), keep_of(a.call));
  });
}
/// "out" [rows, dim] of lists "begin" and "from".
GradientLists lists_of(const Call& call, std::uint32_t dim) {
  const auto rows = static_cast<std::uint32_t>(call.size("dbelow") / dim);
  return {call.at<std::uint32_t>("rows"),
          call.at<std::uint32_t>("count"),
          call.at<std::uint32_t>("begin"),
          call.at<std::uint32_t>("from"),
          call.find<float>("of_queries"),
          dim,
          dim,
          rows,
          zero_of(call)};
}

/// And "dout", "dvalues": "dscores", "dquery", "dbelow" [rows, below_dim] of lists, "dtimes".
void run_attention_backward(const Arguments& a) {
  const Call& call = a.call;
  const NeighborRows rows = neighbors_of(call);
  const AttentionGradients gradients{
      call.at<float>("dout"),
      static_cast<std::uint32_t>(call.size("dout") / std::max<std::uint64_t>(1, call.size("sums"))),
      call.at<float>("dvalues"), call.at<float>("dscores"), call.at<float>("dquery")};
  const GradientLists lists = lists_of(call, rows.below_dim);
  a.call.work([&] {
    launch(attention_backward, grid_of_heads(call), block_of_rows(), call.stream, rows,
           attention_of(call), keep_of(call), gradients, zero_of(call));
    launch(gradients_below, grid_of_blocks(lists.most + grid_of_rows(call.size("owner")).x),
           block_of_rows(), call.stream, lists, rows, attention_of(call), gradients,
           call.at<float>("dbelow"), call.at<float>("dtimes"));
  });
}

/// "c" [m, n] = "a" [m, k] "b" [k, n], zero in rows whose list of "lists" [m + 1] is empty: the
/// rows up to each of "ends" (setting, "3-70") by a product of their own, all in one group.
void run_multiply_group(const Arguments& a) {
  const Call& call = a.call;
  const auto k = static_cast<std::uint32_t>(call.settings.number("k"));
  const auto n = static_cast<std::uint32_t>(call.size("b") / k);
  Product p{};
  p.b = {call.at<float>("b"), n, n, false};
  p.n = p.c_stride = n;
  p.k = p.depth = k;
  a.call.work([&] {
    ProductGroup group(call.stream);
    std::uint32_t begin = 0;
    for (const std::uint32_t end : call.settings.sizes("ends")) {
      p.m = end - begin;
      p.a = {call.at<float>("a") + std::size_t{begin} * k, k, k, false};
      p.c = call.at<float>("c") + std::size_t{begin} * n;
      p.lists = call.at<std::uint32_t>("lists") + begin;
      group.add(p, false, false, products_from(call.settings), 1);
      begin = end;
    }
    group.run();
  });
}

constexpr Operation kTemporalOperations[] = {
    {"encode_times", run_encode_times},
    {"time_gradients", run_time_gradients},
    {"column_sums", run_column_sums},
    {"gru_forward", run_gru_forward},
    {"gru_backward", run_gru_backward},
    {"attention_forward", run_attention_forward},
    {"attention_backward", run_attention_backward},
    {"multiply_group", run_multiply_group},
    {nullptr, nullptr},
};

}  // namespace

const Operation* temporal_operations() { return kTemporalOperations; }

}  // namespace frugal::cuda
