#pragma once

#include <spdlog/common.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace srcextract {

/// While an object exists, the log holds back what it is told about single images, so that a sentence that holds for
/// many images is one line with a count. Sentences that differ in numbers alone count as one. At most one object may
/// exist at a time. Several threads may call the member functions.
class HeldMessages {
 public:
  /// `infos`: whether messages of level info are held back too, and not warnings alone.
  explicit HeldMessages(bool infos);
  /// Logs what is still held back.
  ~HeldMessages();
  HeldMessages(const HeldMessages&) = delete;
  HeldMessages& operator=(const HeldMessages&) = delete;

  /// Logs each new sentence, with the number of images that it holds for among the `images` so far. Does nothing if it
  /// did so in the last minute.
  void tell_new(std::int64_t images);

  /// Logs each sentence that holds for more images than was told.
  void tell_all(std::int64_t images);
};

/// While an object exists, messages of this thread are about the image file at `path` if they begin with its name, or
/// with that of one of its HDUs ("HDU 2 of m31.fits"). With an empty path they are about no image.
class MessagesAbout {
 public:
  explicit MessagesAbout(std::string path);
  ~MessagesAbout();
  MessagesAbout(const MessagesAbout&) = delete;
  MessagesAbout& operator=(const MessagesAbout&) = delete;

 private:
  std::string path_;
  const std::string* before_;
};

/// Holds a message back, and returns true, if that is asked for and the message is about an image.
bool hold_message(spdlog::level::level_enum level, std::string_view message);

}  // namespace srcextract
