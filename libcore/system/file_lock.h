#pragma once
#include <string>

namespace frugal {

/// A lock between processes on the file at a path, also between machines if their file system has
/// flock(2). The lock is a file .NAME.lock beside the path, removed with the lock; one that a
/// killed process left locks nothing. It is written only if this user owns it and it has no other
/// name, so that links placed by other users lead nowhere. Nothing is locked if the path is "-", a
/// pipe or a device, or if the file system has no locks (--verbose says so).
class FileLock {
 public:
  enum class IfHeld { wait, fail };
  /// Takes the lock. Fails (cannot_create) if its file cannot be made or was not made by this
  /// program. With IfHeld::fail also fails if another process holds the lock, and names that
  /// process.
  FileLock(const std::string& path, IfHeld if_held);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  void open(const std::string& path);
  bool take(const std::string& path, IfHeld if_held);
  bool take_over() const;
  bool is_current() const;

  std::string name_;  ///< path of the lock's file; "" = no lock
  int descriptor_ = -1;
  bool is_own_ = false;  ///< this process may write and remove the file
};

}  // namespace frugal
