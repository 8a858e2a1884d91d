#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "io/files/crc32.hpp"
#include "io/files/input_file.hpp"
#include "io/tables/table_stream.hpp"
#include "survey/merge/merge_layout.hpp"

namespace srcextract {

/// Writes the rows of one catalogue after the other, in constant memory.
class RowWriter {
 public:
  /// `seen`, if there is one, is called with each piece of rows as it is written.
  explicit RowWriter(StoredTables& out, std::function<void(std::span<const std::byte>)> seen = {})
      : out_(out), seen_(std::move(seen)) {}

  /// Copies the rows of the catalogue `file`, which begin at `data_begin`, converted by `plan`. Each written row begins
  /// as a copy of `blank`: plan.blank, filled in with the columns that the catalogue itself does not have. Returns the
  /// CRC-32 of the whole file. Throws Error{input} if it cannot be read.
  std::uint32_t copy(const InputFile& file, std::int64_t rows, std::int64_t data_begin, const RowPlan& plan,
                     const std::vector<std::byte>& blank);

  /// Writes the buffered rows.
  void flush();

 private:
  void add_to(Crc32& read, const InputFile& file, std::int64_t begin, std::int64_t count);
  void add(std::size_t count, const RowPlan& plan, const std::vector<std::byte>& blank);

  StoredTables& out_;
  std::function<void(std::span<const std::byte>)> seen_;
  std::vector<std::byte> stored_;  ///< rows of the catalogue
  std::vector<std::byte> rows_;    ///< rows of the joined catalogue
};

}  // namespace srcextract
