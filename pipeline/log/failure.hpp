#pragma once

#include <optional>
#include <string>

#include "stages/core/error.hpp"
#include "stages/detect/no_sky.hpp"

namespace srcextract {

/// Why a piece of work failed.
struct Failure {
  ErrorKind kind;
  std::string message;
  std::optional<AssumedSky> no_sky = {};  ///< the sky to assume instead, if the image shows no sky (NoSky)
  bool passing = false;                   ///< a retry may succeed (PassingError)
};

/// Describes the exception that is being handled; call it in `catch (...)`.
Failure current_failure();

/// Returns the message with `name` before it, unless it already contains that name or the file's.
std::string message_about(const std::string& name, const Failure& failure);

/// Logs the failure as a message about `name`.
void log_failure(const std::string& name, const Failure& failure);

}  // namespace srcextract
