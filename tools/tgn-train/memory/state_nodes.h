#pragma once
#include "libcore/io/tensor_file.h"
#include "tools/tgn-train/data/node_keys.h"

namespace frugal::tgn {

/// The state of a session (StreamSession::save()) for a stream whose nodes have other numbers:
/// nodes that are new there have no events, those that it lacks had none. Fails (bad_input) with
/// `path` where a tensor is not of as many nodes as there were.
Document move_nodes(const Document& state, const NodeMove& move, const std::string& path);

}  // namespace frugal::tgn
