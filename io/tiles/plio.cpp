#include "io/tiles/plio.hpp"

#include <algorithm>

#include "io/files/big_endian.hpp"

namespace srcextract {
namespace {

/// The 16-bit words of a tile's list, numbered from 0.
class Words {
 public:
  explicit Words(std::span<const std::byte> stream) : stream_(stream) {}

  std::int64_t count() const { return std::ssize(stream_) / 2; }
  std::int32_t at(std::int64_t number) const {
    return load_big_endian<std::int16_t>(&stream_[static_cast<std::size_t>(2 * number)]);
  }

 private:
  std::span<const std::byte> stream_;
};

/// Range [begin, end) of words that hold the instructions of a list.
struct List {
  std::int64_t begin = 0, end = 0;
};

// A positive third word is the length of the list in words, as in IRAF's first format, and the head has three words. If
// the third word is not positive, the fourth and fifth words are the length of the list, and the second word is the
// length of the head.
List find_instructions(const Words& words) {
  if (words.count() < 3) return {};
  if (words.at(2) > 0) return {3, words.at(2)};
  if (words.count() < 5) return {};
  return {words.at(1), std::int64_t{words.at(4)} * 32768 + words.at(3)};
}

enum Opcode { zeros, set_high, add, subtract, run, zeros_and_one, add_and_one, subtract_and_one };

/// Writes pixels as the instructions demand, and holds the current pixel value, which instructions set, increase and
/// decrease.
class Painter {
 public:
  explicit Painter(std::span<std::int32_t> pixels) : pixels_(pixels) {}

  /// Adds `by` to the value. Returns false if the result is beyond 2^30 in size, so that values always fit into 32
  /// bits. Values from set() have at most 27 bits.
  bool move(std::int64_t by) {
    value_ += by;
    return value_ >= -most && value_ <= most;
  }
  void set(std::int64_t value) { value_ = value; }

  bool put(std::int64_t count, std::int64_t value) {
    if (count > std::ssize(pixels_) - done_) return false;
    std::fill_n(pixels_.begin() + done_, count, static_cast<std::int32_t>(value));
    done_ += count;
    return true;
  }
  bool put_value(std::int64_t count) { return put(count, value_); }
  void end() { std::fill(pixels_.begin() + done_, pixels_.end(), 0); }

 private:
  static constexpr std::int64_t most = std::int64_t{1} << 30;
  std::span<std::int32_t> pixels_;
  std::int64_t done_ = 0, value_ = 1;
};

}  // namespace

bool can_be_plio(std::span<const std::byte> stream, std::int64_t pixels) {
  constexpr std::int64_t most_of_a_word = 4095;
  return pixels / most_of_a_word <= std::ssize(stream) / 2;
}

bool decode_plio(std::span<const std::byte> stream, std::span<std::int32_t> pixels) {
  const Words words(stream);
  const List list = find_instructions(words);
  if (list.begin < 3 || list.end < list.begin || list.end > words.count()) return false;
  Painter painter(pixels);
  for (std::int64_t at = list.begin; at < list.end; ++at) {
    const std::int32_t word = words.at(at), data = word & 0xfff;
    bool good = true;
    switch (word >> 12) {
      case zeros:
        good = painter.put(data, 0);
        break;
      case set_high:
        if (++at == list.end) return false;
        painter.set((std::int64_t{words.at(at)} << 12) + data);
        break;
      case add:
      case add_and_one:
        good = painter.move(data) && (word >> 12 == add || painter.put_value(1));
        break;
      case subtract:
      case subtract_and_one:
        good = painter.move(-data) && (word >> 12 == subtract || painter.put_value(1));
        break;
      case run:
        good = painter.put_value(data);
        break;
      case zeros_and_one:
        good = data > 0 && painter.put(data - 1, 0) && painter.put_value(1);
        break;
      default:
        return false;
    }
    if (!good) return false;
  }
  painter.end();
  return true;
}

}  // namespace srcextract
