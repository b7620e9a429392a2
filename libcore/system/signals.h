#pragma once
#include "libcore/base/error.h"

namespace frugal {

/// Installs signal handlers for a long-running command. USR1 requests a checkpoint; the work goes
/// on. TERM, INT and HUP request a checkpoint and the end of the run (exit status 75); a second one
/// ends the process at once by the signal itself (128+n in a shell).
///
/// The first XCPU, the soft limit of CPU time, acts like TERM; later ones do nothing. SIGXFSZ is
/// ignored, so that a file-size limit becomes EFBIG (exit status 74). SIGPIPE keeps its default. An
/// INT or HUP that the caller ignores (nohup, background jobs) stays ignored. Commands that never
/// call this die of the signals as usual.
void handle_signals();

/// True once for each USR1 received since the last call.
bool take_checkpoint_request();

/// True from the first TERM, INT, HUP or XCPU on.
bool stop_requested();

/// Exit status of a run that a signal stopped: 75 (run again) if a checkpoint has its work, else
/// 128 + the number of the signal.
ExitStatus stop_status(bool has_checkpoint);

/// Makes a write beyond RLIMIT_FSIZE fail with EFBIG instead of killing the process. Called by
/// handle_signals() and by every OutputFile.
void ignore_file_size_signal();

}  // namespace frugal
