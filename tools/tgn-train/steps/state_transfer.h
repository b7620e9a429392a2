#pragma once
#include "libcore/parallel/communicator.h"
#include "libcore/tensors/tensor_file.h"

namespace frugal::tgn {

/// Collective: copies the document of rank `from` to rank `to`, another one. The other ranks'
/// documents do not change.
void send_document(Communicator& ranks, Document& document, int from, int to);

}  // namespace frugal::tgn
