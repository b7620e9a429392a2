/// Operations of networks with many labels, for tests.
#include "libcore/device/cuda/engines/label_output.h"
#include "libcore/device/cuda/engines/sparse_labels.h"
#include "libcore/device/cuda/suite_call.h"

namespace frugal::cuda {
namespace {

std::uint32_t number_of(const Call& call, const char* name) {
  return static_cast<std::uint32_t>(call.settings.number(name));
}

LabelShape shape_of(const Call& call) {
  const bool softmax = call.settings.text("loss") == "softmax";
  return {number_of(call, "labels"), number_of(call, "dim"), number_of(call, "block"),
          softmax ? LabelLoss::softmax : LabelLoss::one_vs_all};
}

/// "losses" [n], "dhidden" [n, dim] and "drows" [labels, dim] of "hidden" [n, dim], "rows"
/// [labels, dim] and own labels "offsets" [n + 1], "own"; "n": one number. With "log_inclusion"
/// [labels] the labels are sampled.
void run_label_output(const Arguments& a) {
  const Call& call = a.call;
  const LabelShape shape = shape_of(call);
  Room room(false);
  LabelOutput output(shape, products_from(call.settings),
                     static_cast<std::uint32_t>(call.size("losses")), true, room);
  LabelBatch batch{call.at<std::uint32_t>("n"),
                   call.at<float>("hidden"),
                   {call.at<std::uint32_t>("offsets"), call.at<std::uint32_t>("own")}};
  batch.log_inclusion = call.find<float>("log_inclusion");
  const float* rows = call.at<float>("rows");
  call.work([&] {
    output.train(
        shape.labels,
        [&](std::uint32_t begin, std::uint32_t) { return rows + std::uint64_t{begin} * shape.dim; },
        batch, call.at<double>("losses"), call.at<float>("dhidden"), call.stream,
        [&](std::uint32_t begin, std::uint32_t labels, const float* gradient) {
          call.stream.copy(call.at<float>("drows") + std::uint64_t{begin} * shape.dim, gradient,
                           std::size_t{labels} * shape.dim);
        });
  });
}

/// "labels" [n, ranks] and "scores" [n, ranks] of "hidden" and "rows" as above; "offsets" [n + 1]:
/// zeros.
void run_rank_labels(const Arguments& a) {
  const Call& call = a.call;
  const LabelShape shape = shape_of(call);
  const std::uint32_t ranks = number_of(call, "ranks");
  const auto most = static_cast<std::uint32_t>(call.size("offsets") - 1);
  Room room(false);
  LabelOutput output(shape, products_from(call.settings), most, false, room);
  LabelRanks best(most, ranks, room);
  const LabelBatch batch{call.at<std::uint32_t>("n"),
                         call.at<float>("hidden"),
                         {call.at<std::uint32_t>("offsets"), nullptr}};
  const float* rows = call.at<float>("rows");
  call.work([&] {
    best.find(
        output,
        [&](std::uint32_t begin, std::uint32_t) { return rows + std::uint64_t{begin} * shape.dim; },
        batch, ranks, call.stream);
    call.stream.copy(call.at<std::uint32_t>("labels"), best.labels(), std::size_t{most} * ranks);
    call.stream.copy(call.at<float>("scores"), best.scores(), std::size_t{most} * ranks);
  });
}

constexpr Operation kLabelOperations[] = {
    {"label_output", run_label_output}, {"rank_labels", run_rank_labels}, {nullptr, nullptr}};

}  // namespace

const Operation* label_operations() { return kLabelOperations; }

}  // namespace frugal::cuda
