#pragma once

#include <functional>
#include <memory>
#include <string>

#include "pipeline/image/open_image.hpp"
#include "pipeline/log/failure.hpp"

namespace srcextract {

/// Callbacks by which a run reports its progress and asks whether to stop. Several threads call them at the same time.
struct RunControl {
  /// Called when an image is done or has failed. May throw, which ends the run.
  std::function<void(const ImageOutcome&)> on_image = [](const ImageOutcome&) {};
  std::function<bool()> should_stop = [] { return false; };

  /// Called before a file is opened. The returned object is destroyed after all images of the file are reported. May
  /// throw, which ends the run.
  std::function<std::shared_ptr<void>(const ImageFile&)> on_file = [](const ImageFile&) { return nullptr; };

  /// Called before an image is opened. May throw, which ends the run.
  std::function<void(const ImageTask&)> on_begin = [](const ImageTask&) {};

  /// Starts the time limit of the image or file with the given name. Destroying the returned object ends the timed
  /// work, which includes no wait for memory.
  std::function<std::shared_ptr<void>(const std::string&)> watch = [](const std::string&) { return nullptr; };

  /// Longest time in seconds to wait for input files that disappeared together (AbsentInputs). With 0, the images of
  /// these files fail at once.
  double wait = 0;

  /// Called when the input files of a directory are found to have disappeared together, and when some are back.
  std::function<void(const std::string& directory)> on_gone = [](const std::string&) {};
  std::function<void(const std::string& directory)> on_back = [](const std::string&) {};

  /// Called with the path of a file that has failed: whether it is none of the survey's images. It is then left out,
  /// with a word, and recorded as done without images (ImageRecord::images).
  std::function<bool(const std::string& path)> is_left_out = [](const std::string&) { return false; };

  /// Called when an image has failed, before `on_image`.
  std::function<void(const ImageTask&, const Failure&)> on_failure = [](const ImageTask& task, const Failure& failure) {
    log_failure(task.name, failure);
  };
};

}  // namespace srcextract
