#include "regression/verdict/pairing.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>
#include <variant>

#include "regression/columns/known_columns.hpp"
#include "regression/statistics/pieces.hpp"

namespace srcextract {
namespace {

bool is_number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

/// Describes the first value of a text column that is no number; empty for a column of numbers.
std::optional<std::string> first_text(const ColumnValues& values) {
  const auto* texts = std::get_if<std::vector<std::string>>(&values);
  if (texts == nullptr) return std::nullopt;
  const auto found = std::ranges::find_if_not(*texts, is_number);
  if (found == texts->end()) return "too large a number for a double";
  return "row " + std::to_string(found - texts->begin() + 1) + " has '" + found->substr(0, 40) + "'";
}

/// Describes a column that is text in only one of the catalogues; a single value that is no number makes a column text.
std::string text_on_one_side(const LoadedColumns& loaded, std::size_t column) {
  const auto in_reference = first_text(loaded.raw_reference(column)), in_new = first_text(loaded.raw_new(column));
  if (in_reference.has_value() == in_new.has_value()) return "";
  return in_new ? "text in the new catalogue, where the reference has numbers: " + *in_new
                : "numbers in the new catalogue, where the reference has text: there " + *in_reference;
}

}  // namespace

PairedColumn pair_up(const LoadedColumns& loaded, const std::vector<SharedColumn>& shared, std::size_t column,
                     const CompareRules& rules, const Matches& matches) {
  PairedColumn paired;
  paired.name = shared[column].name;
  paired.unit = shared[column].unit;
  paired.rule = &rule_of(rules, paired.name);
  paired.text = text_on_one_side(loaded, column);
  paired.reference = loaded.of_reference(column, matches.reference);
  paired.other = loaded.of_new(column, matches.other);
  if (const auto error = shared[column].error) {
    paired.reference_error = loaded.of_reference(*error, matches.reference);
    paired.new_error = loaded.of_new(*error, matches.other);
    if (is_variance(shared[*error].name)) {
      for (auto* errors : {&paired.reference_error, &paired.new_error}) {
        for_each_piece(errors->size(), loaded.threads(), [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) (*errors)[i] = std::sqrt((*errors)[i]);
        });
      }
    }
  }
  if (const auto partner = shared[column].partner) {
    paired.partner = shared[*partner].name;
    paired.partner_reference = loaded.of_reference(*partner, matches.reference);
    if (is_right_ascension(paired.name)) {
      const std::vector<double>& declination = paired.partner_reference;
      paired.cos_declination = each_value(declination.size(), loaded.threads(), [&](std::size_t i) {
        return std::cos(declination[i] * std::numbers::pi / 180);
      });
    }
  }
  return paired;
}

}  // namespace srcextract
