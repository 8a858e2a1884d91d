#pragma once

#include <optional>
#include <string>

#include "stages/core/error.hpp"
#include "stages/detect/no_sky.hpp"

namespace srcextract {

/// The reason why a piece of work failed.
struct Failure {
  ErrorKind kind;
  std::string message;
  std::optional<AssumedSky> no_sky = {};  ///< set if the image shows no sky (NoSky): the sky to assume instead
  bool passing = false;  ///< whether the failure is temporary, so that a retry may succeed (PassingError)
};

/// Describes the exception that is being handled. Call this only in a catch block.
Failure current_failure();

/// Returns the message with `name` and a colon before it. If the message already names the image or its file, returns
/// the message itself.
std::string message_about(const std::string& name, const Failure& failure);

/// Logs message_about(name, failure) as an error.
void log_failure(const std::string& name, const Failure& failure);

}  // namespace srcextract
