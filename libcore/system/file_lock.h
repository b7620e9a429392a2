#pragma once
#include <string>

namespace frugal {

/// A lock between processes on what is kept at a path, also between machines where their file
/// system has flock(2). It is the file .NAME.lock beside the path, removed with the lock; a file
/// that a killed process left locks nothing. No lock where there is nothing to replace: "-", pipes
/// and devices, or where the file system has no locks (a verbose line says so).
class FileLock {
 public:
  enum class IfHeld { wait, fail };
  /// Takes the lock. Fails (cannot_create) where its file cannot be made and, with IfHeld::fail,
  /// where another process has it, naming that process.
  FileLock(const std::string& path, IfHeld if_held);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  bool take(const std::string& path, IfHeld if_held);
  bool is_current() const;

  std::string name_;  ///< of the lock's file; "" = no lock
  int descriptor_ = -1;
};

}  // namespace frugal
