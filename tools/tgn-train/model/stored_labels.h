#pragma once
#include <memory>
#include <string>

#include "libcore/tensors/tensor_file.h"
#include "tools/tgn-train/model/label_task.h"
#include "tools/tgn-train/network/label_decoder.h"

namespace frugal::tgn {

/// Largest number of events in a step that a model file states.
inline constexpr int kMostBatch = 1 << 20;

/// Adds the decoder, what it reads, and the batch size of its training to a model file.
void save_labels(const LabelDecoder& decoder, LabelTask& task, std::size_t batch,
                 Document& document);
/// Reads what save_labels() wrote beside a network. Fails (bad_input) with `path` if it is damaged.
std::unique_ptr<LabelDecoder> load_labels(const Document& document, const std::string& path,
                                          const TgnModel& model, LabelTask& task,
                                          std::size_t& batch);

}  // namespace frugal::tgn
