#pragma once

#include <functional>
#include <memory>
#include <string>

#include "pipeline/image/open_image.hpp"
#include "pipeline/log/failure.hpp"

namespace srcextract {

/// What a run tells of itself and asks, from several threads.
struct RunControl {
  /// An image is done or has failed; may throw.
  std::function<void(const ImageOutcome&)> on_image = [](const ImageOutcome&) {};
  std::function<bool()> should_stop = [] { return false; };

  /// A file is about to be opened. What is returned lives until all of its images have been told of; may throw.
  std::function<std::shared_ptr<void>(const ImageFile&)> on_file = [](const ImageFile&) { return nullptr; };

  /// An image is about to be opened; may throw.
  std::function<void(const ImageTask&)> on_begin = [](const ImageTask&) {};

  /// Work begins on what has that name, and waits for nobody else's; it is over when what is returned is destroyed.
  std::function<std::shared_ptr<void>(const std::string&)> watch = [](const std::string&) { return nullptr; };

  /// Why one failed, before on_image; what is returned is whether the log is to say it.
  std::function<bool(const ImageTask&, const Failure&)> on_failure = [](const ImageTask&, const Failure&) {
    return true;
  };
};

}  // namespace srcextract
