#pragma once
#include <string>

#include "tools/tgn-train/links/link_data.h"
#include "tools/tgn-train/memory/stream_session.h"

namespace frugal::tgn {

/// Sets the session's scalings of features to those measured on the events that train, and on the
/// nodes in them. Logs which features are scaled, and ends the line with `hint`.
void scale_features(const LinkData& data, const std::string& hint, SessionOptions& session);

}  // namespace frugal::tgn
