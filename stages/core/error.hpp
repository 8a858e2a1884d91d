#pragma once

#include <stdexcept>
#include <string>

namespace srcextract {

/// The kinds of problems, divided by what a user or a batch script can do about them.
enum class ErrorKind {
  internal,  ///< a defect of this program
  config,    ///< the command line or the configuration has a mistake
  input,     ///< an input file cannot be used
  output,    ///< an output file cannot be written
  storage,   ///< no output file can be written: the disk is full, read-only or failing, or too many files are open
  memory,    ///< not enough host memory
  device,    ///< no usable GPU, or not enough memory on it
  mismatch,  ///< two results that must be equal differ
};

/// Exit code of the process for a kind of error: internal and memory 1, config 2, input, output and storage 3, device
/// 4, mismatch 5.
constexpr int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::internal:
    case ErrorKind::memory:
      return 1;
    case ErrorKind::config:
      return 2;
    case ErrorKind::input:
    case ErrorKind::output:
    case ErrorKind::storage:
      return 3;
    case ErrorKind::device:
      return 4;
    case ErrorKind::mismatch:
      return 5;
  }
  return 1;
}

/// The name of the kind, as lists of failures have it.
constexpr const char* kind_name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::internal:
      return "internal";
    case ErrorKind::memory:
      return "memory";
    case ErrorKind::config:
      return "config";
    case ErrorKind::input:
      return "input";
    case ErrorKind::output:
      return "output";
    case ErrorKind::storage:
      return "storage";
    case ErrorKind::device:
      return "device";
    case ErrorKind::mismatch:
      return "mismatch";
  }
  return "internal";
}

/// The program's only exception class for problems. The message says what the problem is, why it is one, and what to
/// try. If an Error ends the program, its kind gives the exit code.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace srcextract
