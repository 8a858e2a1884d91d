#include "pipeline/log/held_messages.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <utility>

#include "stages/core/ascii.hpp"

namespace srcextract {
namespace {

using MessageClock = std::chrono::steady_clock;

constexpr std::chrono::minutes between_tellings(1);

/// A sentence that was logged about one image or several.
struct HeldSentence {
  std::int64_t count = 0, told = 0;  ///< messages, and how many of them were counted in the log
  std::string name, text;            ///< first image by name, and what is said of it
  bool is_same = true;               ///< whether the sentence is the same for all, numbers included
};

struct Held {
  bool is_on = false, infos = false;
  std::mutex mutex;
  MessageClock::time_point last = {};
  std::map<std::pair<int, std::string>, HeldSentence> sentences;  ///< by level, and text without its numbers
};

Held& held() {
  static Held all;
  return all;
}

thread_local const std::string* about = nullptr;

/// The text with # in place of each number.
std::string without_numbers(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool goes_on = !result.empty() && result.back() == '#' && (is_digit(text[i]) || text[i] == '.');
    if (!goes_on) result += is_digit(text[i]) ? '#' : text[i];
  }
  return result;
}

/// The length of the image's name with which the message begins; 0 if it begins with no such name.
std::size_t length_of_name(std::string_view message) {
  if (about == nullptr || about->empty()) return 0;
  const std::string of_hdu = " of " + *about + ": ";
  if (message.starts_with(*about) && message.substr(about->size()).starts_with(": ")) return about->size();
  const std::size_t place = message.starts_with("HDU ") ? message.find(of_hdu) : message.npos;
  return place == message.npos ? 0 : place + of_hdu.size() - 2;
}

std::string line_of(const HeldSentence& sentence, std::int64_t images, bool at_end) {
  if (sentence.count == 1) return sentence.name + ": " + sentence.text;
  return fmt::format("{} of {} images{}, {} the first{}: {}", sentence.count, std::max(images, sentence.count),
                     at_end ? "" : " so far", sentence.name, sentence.is_same ? "" : " and with numbers of their own",
                     sentence.text);
}

void tell(std::int64_t images, bool at_end) {
  const MessagesAbout none("");
  const std::lock_guard lock(held().mutex);
  const auto now = MessageClock::now();
  if (!at_end && now - held().last < between_tellings) return;
  held().last = now;
  for (auto& [key, sentence] : held().sentences) {
    if (sentence.told == sentence.count || (!at_end && sentence.told > 0)) continue;
    sentence.told = sentence.count;
    spdlog::log(static_cast<spdlog::level::level_enum>(key.first), "{}", line_of(sentence, images, at_end));
  }
}

}  // namespace

HeldMessages::HeldMessages(bool infos) {
  const std::lock_guard lock(held().mutex);
  held().is_on = true;
  held().infos = infos;
  held().last = MessageClock::now();
  held().sentences.clear();
}

HeldMessages::~HeldMessages() {
  tell_all(0);
  const std::lock_guard lock(held().mutex);
  held().is_on = false;
}

void HeldMessages::tell_new(std::int64_t images) {
  tell(images, false);
}

void HeldMessages::tell_all(std::int64_t images) {
  tell(images, true);
}

MessagesAbout::MessagesAbout(std::string path) : path_(std::move(path)), before_(std::exchange(about, &path_)) {}

MessagesAbout::~MessagesAbout() {
  about = before_;
}

bool hold_message(spdlog::level::level_enum level, std::string_view message) {
  const std::size_t length = length_of_name(message);
  if (length == 0) return false;
  const std::lock_guard lock(held().mutex);
  const bool is_held = level == spdlog::level::warn || (level == spdlog::level::info && held().infos);
  if (!held().is_on || !is_held) return false;
  const std::string name(message.substr(0, length)), text(message.substr(length + 2));
  HeldSentence& sentence = held().sentences[{level, without_numbers(text)}];
  sentence.is_same = sentence.is_same && (sentence.count == 0 || text == sentence.text);
  if (sentence.count++ == 0 || name < sentence.name) {
    sentence.name = name;
    sentence.text = text;
  }
  return true;
}

}  // namespace srcextract
