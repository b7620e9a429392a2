#pragma once
#include <memory>
#include <string>

#include "libcore/cli/tool.h"

namespace frugal {

enum class ProgressStyle { none, lines, bar };

/// Style for --progress and -q on this stderr. A bar needs a terminal that is not dumb.
ProgressStyle progress_style(const std::string& option, bool quiet);

/// Whether --color and the environment (NO_COLOR, TERM=dumb) allow colour on this descriptor.
bool use_color(const std::string& option, int descriptor);

/// Makes a display of the task's progress on stderr.
std::unique_ptr<Progress> make_progress(ProgressStyle style, bool color, ProgressTask task);

/// Text of a progress line after `seconds`: "train: 42% of 2.9k examples, 310 examples/s, 5.4 s
/// left, loss 0.3".
std::string progress_text(const ProgressTask& task, double done, double seconds,
                          const std::string& note);

}  // namespace frugal
