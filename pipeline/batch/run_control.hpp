#pragma once

#include <functional>
#include <memory>
#include <string>

#include "pipeline/image/open_image.hpp"
#include "pipeline/log/failure.hpp"

namespace srcextract {

/// Callbacks by which a run reports its progress and asks whether to stop. Called from several threads.
struct RunControl {
  /// An image is done or has failed; may throw.
  std::function<void(const ImageOutcome&)> on_image = [](const ImageOutcome&) {};
  std::function<bool()> should_stop = [] { return false; };

  /// A file is about to be opened. The returned object lives until all images of the file are reported; may throw.
  std::function<std::shared_ptr<void>(const ImageFile&)> on_file = [](const ImageFile&) { return nullptr; };

  /// An image is about to be opened; may throw.
  std::function<void(const ImageTask&)> on_begin = [](const ImageTask&) {};

  /// Marks the start of a piece of work for the time limit; the work waits for nothing else. Destroying the returned
  /// object marks the end.
  std::function<std::shared_ptr<void>(const std::string&)> watch = [](const std::string&) { return nullptr; };

  /// Seconds to wait for inputs that went away together; 0: they fail at once.
  double wait = 0;

  /// An image failed; called before on_image.
  std::function<void(const ImageTask&, const Failure&)> on_failure = [](const ImageTask& task, const Failure& failure) {
    log_failure(task.name, failure);
  };
};

}  // namespace srcextract
