#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "io/tables/column_builder.hpp"
#include "io/votable/votable_field.hpp"

namespace srcextract {

/// The cells of one FIELD, row after row; selected elements are kept.
class VotableCells {
 public:
  explicit VotableCells(const VotableField& field) : field_(&field) {}

  const VotableField& field() const { return *field_; }

  /// Keeps this element of every cell, as column `place` of the result. Call it before the first cell, with ascending
  /// elements.
  void keep(std::int64_t element, std::size_t place);
  bool kept() const { return !kept_.empty(); }

  /// Adds the next cell from TABLEDATA text; false if it does not match the FIELD.
  bool add_text(std::string_view text);

  /// Adds the next cell from BINARY bytes; false if they do not match the FIELD.
  bool add_bytes(std::span<const std::byte> bytes);

  void add_missing();

  /// Sum of ColumnBuilder::bytes_with over the kept elements.
  std::int64_t bytes_with(std::int64_t more) const;

  /// Moves the kept values to their places in `columns`; call nothing afterwards.
  void finish(std::vector<TableColumn>& columns);

 private:
  struct Kept {
    std::int64_t element;
    std::size_t place;
    ColumnBuilder values;
  };

  bool add_element_text(ColumnBuilder& values, std::string_view text) const;
  bool add_array_text(std::string_view text);
  bool add_element_bytes(Kept& kept, std::span<const std::byte> bytes) const;
  void add_integer(ColumnBuilder& values, std::int64_t value) const;

  const VotableField* field_;
  std::vector<Kept> kept_;
};

}  // namespace srcextract
