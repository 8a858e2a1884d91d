#pragma once

#include <functional>
#include <optional>
#include <string>

#include "stages/core/error.hpp"

namespace srcextract {

/// Why some work was not done.
struct Failure {
  ErrorKind kind;
  std::string message;
};

/// Does the work; returns why it failed, if it did.
std::optional<Failure> failure_of(const std::function<void()>& work);

/// Logs the failure as a message about `name`.
void log_failure(const std::string& name, const Failure& failure);

}  // namespace srcextract
