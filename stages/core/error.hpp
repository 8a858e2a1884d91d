#pragma once

#include <stdexcept>
#include <string>

namespace srcextract {

/// What went wrong, in the terms a user or a batch script acts on.
enum class ErrorKind {
  internal,  ///< a defect of this program
  config,    ///< the command line or the configuration is wrong
  input,     ///< an input file cannot be used
  output,    ///< an output file cannot be written
  device,    ///< no usable GPU, or not enough memory on it
  mismatch,  ///< two results that must be equal are not
};

/// Process exit code of an error: internal 1, config 2, input and output 3, device 4, mismatch 5.
constexpr int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::internal:
      return 1;
    case ErrorKind::config:
      return 2;
    case ErrorKind::input:
    case ErrorKind::output:
      return 3;
    case ErrorKind::device:
      return 4;
    case ErrorKind::mismatch:
      return 5;
  }
  return 1;
}

/// The one exception of the program. The message says what the problem is, why it is one, and what to try; `main`
/// alone catches it and turns its kind into the exit code.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace srcextract
