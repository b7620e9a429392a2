#pragma once
#include "libcore/parallel/communicator.h"
#include "libcore/tensors/tensor_file.h"

namespace frugal::tgn {

/// Rank `to` gets the document of rank `from`, which are two; the others' stay as they are. All
/// ranks call it.
void send_document(Communicator& ranks, Document& document, int from, int to);

}  // namespace frugal::tgn
