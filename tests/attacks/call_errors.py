"""The calls to the kernel and for memory that faults.py makes fail."""

# What fails, and how: as a broken disk or a full one, a machine without memory, a strict sandbox or a signal would have it.
# "short": half of what was asked for is read or written.
ERRORS = {
    "read": ["EIO", "EINTR", "short"], "pread64": ["EIO", "EINTR", "short"], "readv": ["EIO", "EINTR", "short"],
    "write": ["ENOSPC", "EINTR", "short"], "pwrite64": ["ENOSPC", "EINTR", "short"], "writev": ["ENOSPC", "EINTR", "short"],
    "openat": ["EIO", "EMFILE", "EINTR"], "close": ["EIO"], "fsync": ["EIO"], "fdatasync": ["EIO"], "lseek": ["EIO"],
    "rename": ["EIO"], "link": ["EIO"], "linkat": ["EIO"], "rmdir": ["EIO"], "unlink": ["EIO"], "unlinkat": ["EIO"], "mkdir": ["EIO"], "ftruncate": ["EIO"],
    "fallocate": ["ENOSPC", "EOPNOTSUPP"], "flock": ["EIO", "EINTR"], "newfstatat": ["EIO"], "statx": ["EIO"], "statfs": ["EIO"],
    "getdents64": ["EIO"], "readlink": ["EIO"], "readlinkat": ["EIO"], "fstatfs": ["EIO"], "getcwd": ["ENOENT"], "access": ["EACCES"], "fchmod": ["EPERM"],
    "fchown": ["EPERM"], "fcntl": ["EINVAL"], "ioctl": ["ENOTTY"], "fadvise64": ["EINVAL"], "copy_file_range": ["EIO"],
    "mmap": ["ENOMEM"], "mprotect": ["ENOMEM"], "mremap": ["ENOMEM"], "madvise": ["EINVAL"], "mincore": ["EAGAIN"], "msync": ["EIO"],
    "clone3": ["EAGAIN"], "sched_getaffinity": ["EPERM"], "sched_setaffinity": ["EPERM"], "getrandom": ["ENOSYS"],
    "dup": ["EMFILE", "EINTR"], "dup2": ["EINTR"], "prlimit64": ["EPERM"], "sysinfo": ["EPERM"], "uname": ["EPERM"], "clock_nanosleep": ["EINTR"], "poll": ["EINTR"],
    "memory": ["ENOMEM"], "small-memory": ["ENOMEM"],
}
HARMLESS = ("EINTR", "short")  # which change no result
UNTOUCHED = {
    "brk": "malloc takes mmap where it fails, and memory fails as a call of its own",
    "futex": "the GNU C library ends the program where it fails", "exit_group": "cannot fail", "exit": "cannot fail",
    "munmap": "fails for wrong arguments alone", "rt_sigaction": "fails for wrong arguments alone",
    "rt_sigprocmask": "fails for wrong arguments alone", "rt_sigreturn": "cannot fail", "sched_yield": "cannot fail",
    "set_robust_list": "part of a new thread", "rseq": "part of a new thread", "getpid": "cannot fail", "gettid": "cannot fail",
    "clock_gettime": "fails for wrong arguments alone", "umask": "cannot fail", "getuid": "cannot fail", "geteuid": "cannot fail",
}

# What once found a defect: made to fail in every run, before what is drawn.
REGRESSIONS = {
    ("hw-probe advise", "openat", "EINTR"), ("hw-probe calibrate", "openat", "EINTR"), ("sparse-train tune", "openat", "EINTR"),
    ("sparse-train train", "write", "EINTR"), ("tgn-train sweep", "write", "EINTR"), ("tensor-file info", "write", "EINTR"),
    ("gnn-sample import", "newfstatat", "EIO"), ("tensor-file info", "newfstatat", "EIO"), ("tensor-file info", "lseek", "EIO"),
    ("tgn-train sweep", "lseek", "EIO"), ("sparse-train info", "small-memory", "ENOMEM"),
}
