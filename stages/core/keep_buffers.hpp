#pragma once

namespace srcextract {

/// While one is there, this process keeps what host buffers release for the next image: entering memory anew takes a
/// fifth of the time of an image, and more where many threads do it. Large ones serve the next of about their size, are
/// with those in use at most an eighth above what was in use at once before, and go back to the system with the last
/// of these.
class KeepBuffers {
 public:
  KeepBuffers();
  ~KeepBuffers();
  KeepBuffers(const KeepBuffers&) = delete;
  KeepBuffers& operator=(const KeepBuffers&) = delete;
};

}  // namespace srcextract
