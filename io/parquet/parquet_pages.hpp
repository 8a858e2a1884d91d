#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/parquet/parquet_file.hpp"

namespace srcextract {

/// The contents of a page, decompressed.
struct ParquetPageContent {
  bool dictionary = false;
  std::int64_t values = 0;  ///< number of values, including missing values
  std::int32_t encoding = 0;
  std::vector<std::uint32_t> repetition, definition;  ///< levels: which values begin lists, which are missing
  std::span<const std::byte> encoded;                 ///< encoded values; valid until the next page is read
};

/// Limit on the bytes that are decoded from one file, since a damaged file of a few bytes can state any number of equal
/// values.
class ParquetBudget {
 public:
  ParquetBudget(std::int64_t file_bytes, std::int64_t rows, const TableFile& file)
      : left_(floor + factor * file_bytes), rows_(rows), file_(file) {}

  /// Subtracts `count` times `size` bytes from what is left. Throws Error{input} if less is left.
  void take(std::int64_t count, std::int64_t size);

  std::int64_t left() const { return left_; }

  /// Adds bytes of text, whose length the footer does not state, to the memory in use. Throws Error{memory} if the
  /// total exceeds the memory limit of the table.
  void hold(std::int64_t bytes);

 private:
  static constexpr std::int64_t floor = std::int64_t{1} << 26, factor = 4096;
  std::int64_t left_, rows_;
  std::int64_t held_ = 0;
  const TableFile& file_;
};

/// Reads the pages of a column chunk in order.
class ParquetPages {
 public:
  ParquetPages(std::span<const std::byte> chunk, const StoredChunk& stored, const ParquetLeaf& leaf,
               ParquetBudget& budget, std::string where)
      : rest_(chunk), stored_(stored), leaf_(leaf), budget_(budget), where_(std::move(where)) {}

  /// Returns the next page with values or a dictionary, skipping others. Throws Error{input} with a message that begins
  /// with `where`.
  ParquetPageContent next();

  [[noreturn]] void fail(const std::string& problem) const;
  [[noreturn]] void refuse_encoding(std::int32_t encoding) const;
  [[noreturn]] void refuse_lists() const;

 private:
  struct Header;
  Header read_header();
  std::span<const std::byte> take(std::int64_t bytes);
  std::span<const std::byte> unpack(std::span<const std::byte> packed, std::int64_t bytes);
  void read_levels_v1(ParquetPageContent& page) const;
  std::vector<std::uint32_t> levels(std::span<const std::byte> bytes, int largest, std::int64_t values) const;

  std::span<const std::byte> rest_;
  const StoredChunk& stored_;
  const ParquetLeaf& leaf_;
  ParquetBudget& budget_;
  std::string where_;
  std::vector<std::byte> unpacked_;
};

}  // namespace srcextract
