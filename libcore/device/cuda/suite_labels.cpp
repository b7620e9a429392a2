/// Operations of networks with many labels, for tests.
#include "libcore/device/cuda/engines/label_output.h"
#include "libcore/device/cuda/engines/sparse_labels.h"
#include "libcore/device/cuda/suite_call.h"

namespace frugal::cuda {
namespace {

/// "rows" [labels, dim], whose last numbers are biases.
OutputRows rows_of(const Call& call, const LabelShape& shape) {
  return {{call.at<float>("rows"), shape.width, shape.width, 0}, nullptr, 0, shape.labels};
}

std::uint32_t number_of(const Call& call, const char* name) {
  return static_cast<std::uint32_t>(call.settings.number(name));
}

LabelShape shape_of(const Call& call) {
  const bool softmax = call.settings.text("loss") == "softmax";
  const std::uint32_t dim = number_of(call, "dim");
  return {number_of(call, "labels"), dim - 1, dim, number_of(call, "block"),
          softmax ? LabelLoss::softmax : LabelLoss::one_vs_all};
}

/// "losses" [n], "dhidden" [n, dim] and "drows" [labels, dim] of "hidden" [n, dim], whose last
/// numbers are 1, "rows" and own labels "offsets" [n + 1], "own"; "n": one number. With
/// "log_inclusion" [labels] the labels are sampled.
void run_label_output(const Arguments& a) {
  const Call& call = a.call;
  const LabelShape shape = shape_of(call);
  Room room(false);
  LabelOutput output(shape, products_from(call.settings),
                     static_cast<std::uint32_t>(call.size("losses")),
                     static_cast<std::uint32_t>(call.size("own")), true, room);
  const LabelBatch batch{call.at<std::uint32_t>("n"),
                         call.at<float>("hidden"),
                         {call.at<std::uint32_t>("offsets"), call.at<std::uint32_t>("own")}};
  call.work([&] {
    output.train(rows_of(call, shape), call.find<float>("log_inclusion"), batch,
                 call.at<double>("losses"), call.at<float>("dhidden"), call.stream,
                 [&](const OutputRows& block, const float* gradient) {
                   call.stream.copy(
                       call.at<float>("drows") + std::uint64_t{block.begin} * shape.width, gradient,
                       std::size_t{block.count} * shape.width);
                 });
  });
}

/// "labels" [n, ranks] and "scores" [n, ranks] of "hidden" and "rows" as above.
void run_rank_labels(const Arguments& a) {
  const Call& call = a.call;
  const LabelShape shape = shape_of(call);
  const std::uint32_t ranks = number_of(call, "ranks");
  const auto most = static_cast<std::uint32_t>(call.size("labels") / ranks);
  Room room(false);
  LabelOutput output(shape, products_from(call.settings), most, 0, false, room);
  LabelRanks best(most, ranks, room);
  const LabelBatch batch{call.at<std::uint32_t>("n"), call.at<float>("hidden"), {}};
  call.work([&] {
    best.find(output, rows_of(call, shape), batch, ranks, call.stream);
    call.stream.copy(call.at<std::uint32_t>("labels"), best.labels(), std::size_t{most} * ranks);
    call.stream.copy(call.at<float>("scores"), best.scores(), std::size_t{most} * ranks);
  });
}

constexpr Operation kLabelOperations[] = {
    {"label_output", run_label_output}, {"rank_labels", run_rank_labels}, {nullptr, nullptr}};

}  // namespace

const Operation* label_operations() { return kLabelOperations; }

}  // namespace frugal::cuda
