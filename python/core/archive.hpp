#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "stages/core/error.hpp"
#include "stages/core/image.hpp"

namespace srcextract::python {

// Converts values to bytes and back, for pickling. The bytes are valid only for machines of the same byte order and the
// same version of the program. each_part(archive, value), overloaded by type, visits the parts of a value in the same
// order for writing and for reading.

/// Appends values to a string of bytes.
class ArchiveWriter {
 public:
  void bytes(void* from, std::int64_t count) {
    if (count > 0) held_.append(static_cast<const char*>(from), static_cast<std::size_t>(count));
  }
  /// Appends a length. ArchiveReader::length() sets `count` instead.
  void length(std::int64_t& count) { bytes(&count, sizeof count); }
  /// Appends a copy of a null-terminated text.
  void text(const char*& text) {
    std::string copy = text;
    (*this)(copy);
  }
  std::string take() { return std::move(held_); }

  template <class... T>
  void operator()(T&... values);

 private:
  std::string held_;
};

/// Reads values from bytes, which must outlive this object. Throws Error{input} if the bytes end early.
class ArchiveReader {
 public:
  explicit ArchiveReader(std::span<const char> from) : left_(from) {}

  void bytes(void* to, std::int64_t count) {
    require(count);
    if (count > 0) std::memcpy(to, left_.data(), static_cast<std::size_t>(count));
    left_ = left_.subspan(static_cast<std::size_t>(count));
  }
  void length(std::int64_t& count) {
    bytes(&count, sizeof count);
    require(count);  // each element takes at least one byte, so a greater count means damaged bytes
  }
  /// Reads a text and keeps it until the program ends. The texts are names and descriptions of columns; all different
  /// texts together are few.
  void text(const char*& text) {
    static std::mutex mutex;
    static std::set<std::string> known;
    std::string read;
    (*this)(read);
    const std::lock_guard lock(mutex);
    text = known.insert(std::move(read)).first->c_str();
  }
  bool at_end() const { return left_.empty(); }

  template <class... T>
  void operator()(T&... values);

 private:
  void require(std::int64_t count) const {
    if (count < 0 || count > std::ssize(left_))
      throw Error(ErrorKind::input, "the pickled catalogue is cut short, or damaged; pickle it again");
  }

  std::span<const char> left_;
};

template <class Archive>
void each_part(Archive& archive, std::string& text) {
  std::int64_t length = std::ssize(text);
  archive.length(length);
  text.resize(static_cast<std::size_t>(length));
  archive.bytes(text.data(), length);
}

template <class Archive, class T>
void each_part(Archive& archive, std::vector<T>& values) {
  std::int64_t length = std::ssize(values);
  archive.length(length);
  values.resize(static_cast<std::size_t>(length));
  if constexpr (std::is_arithmetic_v<T>) {
    archive.bytes(values.data(), length * std::int64_t{sizeof(T)});
  } else {
    for (T& value : values) archive(value);
  }
}

template <class Archive, class T>
void each_part(Archive& archive, Buffer<T, Cpu>& buffer) {
  std::int64_t length = buffer.size();
  archive.length(length);
  if (buffer.size() != length) buffer = Buffer<T, Cpu>(length, Cpu{1});
  archive.bytes(buffer.data(), length * std::int64_t{sizeof(T)});
}

template <class Archive, class T>
void each_part(Archive& archive, Image<T, Cpu>& image) {
  archive(image.shape, image.pixels);
}

template <class Archive, class T>
void each_part(Archive& archive, std::optional<T>& value) {
  bool there = value.has_value();
  archive(there);
  if (there && !value) value.emplace();
  if (there) archive(*value);
}

template <class Archive, class Key, class T, class Less>
void each_part(Archive& archive, std::map<Key, T, Less>& map) {
  std::vector<std::pair<Key, T>> pairs(map.begin(), map.end());
  archive(pairs);
  map = {pairs.begin(), pairs.end()};
}

template <class Archive, class First, class Second>
void each_part(Archive& archive, std::pair<First, Second>& pair) {
  archive(pair.first, pair.second);
}

template <class Archive, class... Kinds>
void each_part(Archive& archive, std::variant<Kinds...>& value) {
  std::uint8_t kind = static_cast<std::uint8_t>(value.index());
  archive(kind);
  std::uint8_t at = 0;
  const auto take = [&]<class Kind>(Kind made) {
    if (at++ != kind) return;
    if (value.index() != kind) value = std::move(made);
    archive(std::get<Kind>(value));
  };
  (take(Kinds{}), ...);
}

template <class Archive, class T>
void archive_part(Archive& archive, T& value) {
  if constexpr (std::is_trivially_copyable_v<T> && !requires { each_part(archive, value); }) {
    archive.bytes(&value, sizeof value);
  } else {
    each_part(archive, value);
  }
}

template <class... T>
void ArchiveWriter::operator()(T&... values) {
  (archive_part(*this, values), ...);
}

template <class... T>
void ArchiveReader::operator()(T&... values) {
  (archive_part(*this, values), ...);
}

}  // namespace srcextract::python
