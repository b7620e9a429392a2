#pragma once
#include <string>

namespace frugal {

/// Output paths in folders where other users can place links. A symbolic link at an output's path
/// is followed only if this user or root placed it: another user's link may lead to a file that
/// only this user can write. Links to folders on the way there are resolved by the kernel.

/// The folder part of a path: "." for a bare name.
std::string folder_of(const std::string& path);

/// The path at the end of the symbolic links at `path`, whether or not a file is there. The walk
/// ends at a link of /proc to an open pipe or device, which has no other name. Fails
/// (cannot_create) at a link that another user placed.
std::string follow_links(const std::string& path);

/// Opens the pipe or device that follow_links() led to, for writing. Fails (cannot_create) if
/// another file has taken its place. `path` is what the user named.
int open_stream(const std::string& path, const std::string& target);

/// Opens a file that is written in place, such as a log, at its end; creates it if it is missing.
/// truncate: empties it first. Follows links as follow_links() does. Fails (cannot_create) also at
/// a file with several names in a folder that other users may write: another of its names may be
/// that of a file that was never meant as an output.
int open_in_place(const std::string& path, bool truncate);

}  // namespace frugal
