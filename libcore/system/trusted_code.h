#pragma once
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>

/// Who may put code into this process by a shared object: its user, root and the owner of the
/// program, who could change the program as well. A header alone, and C++17: plug-ins use it.
namespace frugal {

inline bool is_trusted_owner(uid_t owner) {
  struct stat program {};
  return owner == 0 || owner == geteuid() ||
         (stat("/proc/self/exe", &program) == 0 && owner == program.st_uid);
}

/// Why anybody else can write a file or folder; "" if nobody can, or if it is not there. A group
/// may write if it is root's, or the owner's private one, which has the owner's number.
inline std::string other_writer(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return "";
  if (!is_trusted_owner(info.st_uid)) {
    return "user " + std::to_string(info.st_uid) + " owns " + path + ", expected you or root";
  }
  if ((info.st_mode & S_IWOTH) != 0) return "all users may write " + path + ", expected mode go-w";
  if ((info.st_mode & S_IWGRP) != 0 && info.st_gid != 0 && info.st_gid != info.st_uid) {
    return "group " + std::to_string(info.st_gid) + " may write " + path + ", expected mode g-w";
  }
  return "";
}

/// Why the shared object at `path` must not be loaded; "" if it may be. The path must be absolute,
/// and nobody else may write the file, its folder, or the folder that links lead to. Folders
/// further up are not checked: whoever can rename these can exchange the program, too.
inline std::string reason_not_to_load(const std::string& path) {
  if (path.empty() || path.front() != '/') return "is not an absolute path";
  const std::unique_ptr<char, void (*)(void*)> real(realpath(path.c_str(), nullptr), std::free);
  if (!real) return "";
  const std::string file = real.get();
  for (const std::string& checked :
       {path.substr(0, path.rfind('/') + 1), file.substr(0, file.rfind('/') + 1), file}) {
    const std::string why = other_writer(checked);
    if (!why.empty()) return "is not loaded: " + why;
  }
  return "";
}

}  // namespace frugal
