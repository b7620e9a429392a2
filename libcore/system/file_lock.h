#pragma once
#include <string>

namespace frugal {

/// A lock between processes on what is kept at a path, also between machines where their file
/// system has flock(2). It is the file .NAME.lock beside the path, removed with the lock; a file
/// that a killed process left locks nothing. It is written only if this user owns it and it has no
/// other name, so that links that other users placed lead nowhere. No lock where there is nothing
/// to replace: "-", pipes and devices, or where the file system has no locks (a verbose line says
/// so).
class FileLock {
 public:
  enum class IfHeld { wait, fail };
  /// Takes the lock. Fails (cannot_create) where its file cannot be made or is not one that this
  /// program makes and, with IfHeld::fail, where another process has it, naming that process.
  FileLock(const std::string& path, IfHeld if_held);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  void open(const std::string& path);
  bool take(const std::string& path, IfHeld if_held);
  bool take_over() const;
  bool is_current() const;

  std::string name_;  ///< of the lock's file; "" = no lock
  int descriptor_ = -1;
  bool is_own_ = false;  ///< the file is this process's to write and to remove
};

}  // namespace frugal
