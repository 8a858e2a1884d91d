#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "io/tables/column_builder.hpp"
#include "io/votable/votable_field.hpp"

namespace srcextract {

/// The cells of one FIELD, row after row, of which some elements, or none, are kept.
class VotableCells {
 public:
  explicit VotableCells(const VotableField& field) : field_(&field) {}

  const VotableField& field() const { return *field_; }

  /// Keeps this element of every cell in the column of this place in the result. Before the first cell, with elements
  /// in ascending order.
  void keep(std::int64_t element, std::size_t place);
  bool kept() const { return !kept_.empty(); }

  /// The text of the next cell, as TABLEDATA has it. False if it is not what the FIELD says.
  bool add_text(std::string_view text);

  /// The bytes of the next cell, as BINARY has them. False if they are not what the FIELD says.
  bool add_bytes(std::span<const std::byte> bytes);

  void add_missing();

  /// As ColumnBuilder::bytes_with.
  std::int64_t bytes_with(std::int64_t more) const;

  /// Puts the columns where they belong; the cells are gone afterwards.
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
