#pragma once

#include <functional>
#include <optional>
#include <string>

#include "stages/core/error.hpp"
#include "stages/detect/no_sky.hpp"

namespace srcextract {

/// Why some work was not done.
struct Failure {
  ErrorKind kind;
  std::string message;
  std::optional<AssumedSky> no_sky = {};  ///< of an image that shows none (NoSky)
  bool passing = false;                   ///< it may be gone at the next start (PassingError)
};

/// Does the work; returns why it failed, if it did.
std::optional<Failure> failure_of(const std::function<void()>& work);

/// The message with the name of what it is about before it, unless it names that, or the file that has it, itself.
std::string message_about(const std::string& name, const Failure& failure);

/// Logs the failure as a message about `name`.
void log_failure(const std::string& name, const Failure& failure);

}  // namespace srcextract
