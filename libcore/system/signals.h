#pragma once

namespace frugal {

/// Handles signals for a long-running command: USR1 asks for a checkpoint and the work goes on; TERM and
/// INT ask for a checkpoint and the end of the run (exit status 75); a second one ends at once with
/// 128+n. SIGXFSZ is ignored so that a file-size limit becomes EFBIG (exit status 74). SIGPIPE keeps its
/// default. Commands that never call this die of the signals as usual.
void handle_signals();

/// True once for each USR1 received since the last call.
bool take_checkpoint_request();

/// True from the first TERM or INT on.
bool stop_requested();

}  // namespace frugal
