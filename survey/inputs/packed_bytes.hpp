#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace srcextract {

/// Stores millions of small records compactly. Texts that many records contain are stored once. Records never move. At
/// most 16 GiB of records fit.
class PackedBytes {
 public:
  /// The number of a chunk of memory (upper bits), and the offset of the record in the chunk in units of `alignment`
  /// (lower 18 bits).
  using Place = std::uint32_t;
  class Writer;
  class Reader;

  Place add(const Writer& written);

  const char* at(Place place) const {
    return chunks_[place >> bits_in_chunk].get() + (place & ((Place{1} << bits_in_chunk) - 1)) * alignment;
  }
  char* at(Place place) { return const_cast<char*>(std::as_const(*this).at(place)); }

 private:
  static constexpr int bits_in_chunk = 18;
  static constexpr std::size_t alignment = 4, chunk_bytes = alignment << bits_in_chunk;

  /// The number of a shared text, from 1, which is stored if it is new; 0 for a new text if already 4096 texts are
  /// stored.
  std::uint32_t number_of(std::string_view text);

  std::vector<std::unique_ptr<char[]>> chunks_;
  std::size_t used_ = 0, room_ = 0;  ///< used bytes and size of the last chunk
  std::deque<std::string> texts_;
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
};

/// Assembles the bytes of a record, which PackedBytes::add() then stores. put() copies the bytes of a value. number()
/// takes one byte for every seven bits of a number; text() stores its length in that form.
class PackedBytes::Writer {
 public:
  explicit Writer(PackedBytes& bytes) : bytes_(bytes) {}

  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::size_t at = out_.size();
    out_.resize(at + sizeof(T));
    std::memcpy(out_.data() + at, &value, sizeof(T));
  }

  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_ += static_cast<char>(value | 0x80);
    out_ += static_cast<char>(value);
  }

  void text(std::string_view text) {
    number(text.size());
    out_ += text;
  }

  /// Writes a text that is probably part of other records too, as the number of a shared text.
  void shared(std::string_view value) {
    const std::uint32_t known = bytes_.number_of(value);
    number(known);
    if (known == 0) text(value);
  }

  const std::string& written() const { return out_; }

 private:
  PackedBytes& bytes_;
  std::string out_;
};

/// Reads a record's values in the order in which they were written.
class PackedBytes::Reader {
 public:
  Reader(const PackedBytes& bytes, const char* at) : bytes_(bytes), at_(at) {}
  Reader(const PackedBytes& bytes, Place place) : Reader(bytes, bytes.at(place)) {}

  template <class T>
  T get() {
    T value;
    std::memcpy(&value, at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }

  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(*at_++);
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
  }

  std::int64_t size() { return static_cast<std::int64_t>(number()); }

  std::string_view text() {
    const std::size_t length = number();
    return {std::exchange(at_, at_ + length), length};
  }

  std::string_view shared() {
    const std::uint64_t which = number();
    return which == 0 ? text() : std::string_view(bytes_.texts_[which - 1]);
  }

 private:
  const PackedBytes& bytes_;
  const char* at_;
};

}  // namespace srcextract
