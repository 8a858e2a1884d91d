#pragma once

#include <stdexcept>
#include <string>

namespace srcextract {

/// The kinds of problems. Two kinds differ in what a user or a batch script can do about the problem.
enum class ErrorKind {
  internal,  ///< a defect of this program
  config,    ///< the command line or the configuration has a mistake
  input,     ///< an input file cannot be used
  output,    ///< an output file cannot be written
  storage,   ///< no output file can be written: the disk is full, read-only or failing, or too many files are open
  memory,    ///< not enough host memory
  device,    ///< no usable GPU, or not enough memory on the GPU
  mismatch,  ///< two results that must be equal differ
};

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

/// The name of the kind in lists of failed images.
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

/// The program's only exception class for problems. The message says what is wrong, why, and what the user can try. If
/// an Error ends the program, exit_code() of the kind is the exit code.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace srcextract
