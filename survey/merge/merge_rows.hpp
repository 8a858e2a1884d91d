#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "io/files/crc32.hpp"
#include "io/files/input_file.hpp"
#include "io/tables/table_stream.hpp"
#include "survey/merge/merge_layout.hpp"

namespace srcextract {

/// Writes the rows of catalogues to a joined table, one catalogue after the other, in constant memory.
class RowWriter {
 public:
  /// `seen`, unless null, is called with the rows that are about to be written, some rows at a time.
  explicit RowWriter(StoredTables& out, std::function<void(std::span<const std::byte>)> seen = {})
      : out_(out), seen_(std::move(seen)) {}

  /// Copies all rows of the catalogue `file`; the first is at byte `data_begin`. Each written row begins as a copy of
  /// plan.blank, with the bytes `first` in the first columns, which the catalogue itself does not have. Then `plan`
  /// copies the fields of the catalogue's row. Returns the CRC-32 of the whole file. Throws Error{input} if the file
  /// cannot be read.
  std::uint32_t copy(const InputFile& file, std::int64_t rows, std::int64_t data_begin, const RowPlan& plan,
                     std::string_view first);

  void flush();

 private:
  void add_to(Crc32& read, const InputFile& file, std::int64_t begin, std::int64_t count);
  void add(std::size_t count, const RowPlan& plan, const std::vector<std::byte>& blank);

  StoredTables& out_;
  std::function<void(std::span<const std::byte>)> seen_;
  std::vector<std::byte> stored_;  ///< buffer for bytes of the catalogue, as read
  std::vector<std::byte> rows_;    ///< buffer for rows of the joined table
};

}  // namespace srcextract
