#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace srcextract {

/// Columns of a card of a FITS header, and those of its keyword (FITS Standard 4.0, 4.1).
inline constexpr std::size_t card_length = 80;
inline constexpr std::size_t keyword_length = 8;

/// A value of a header: logical, integer, real or text.
using KeywordValue = std::variant<bool, std::int64_t, double, std::string>;

/// What a card says of its keyword. Undefined (a card without a value) is neither a value nor a problem.
struct CardValue {
  std::optional<KeywordValue> value;
  std::string problem;     ///< why the value is not to be used, "is not closed by a quote"; empty if it may be
  bool continues = false;  ///< a text that ends in '&', which a CONTINUE card may follow

  bool readable() const { return value && problem.empty(); }
};

/// Whether the keyword of a card is END, whatever stands behind it.
bool is_end(std::string_view card);

/// The name in columns 1 to 8, of a card with '=' in column 9; empty if that is no standard keyword, as of COMMENT,
/// HISTORY, CONTINUE, END, HIERARCH and blank cards, whatever follows them: HIERARCH BSCALE is not BSCALE.
std::string_view keyword_of(std::string_view card);

/// The keyword, in capital letters, that a card means to have and by the standard has not, since letters of it are
/// small, it does not begin in column 1, or '=' is not in column 9: other programs may take the card for one of that
/// keyword. Empty if the card is as the standard has it, or a comment.
std::string meant_keyword(std::string_view card);

/// What is wrong with such a card, for messages.
inline constexpr const char* misspelt_reason =
    "is none of FITS, where a keyword stands in capital letters from column 1 on, and '=' in column 9";

/// Reads the value of such a card, by the FITS Standard 4.0, 4.2, in fixed or free format: a text in quotes, in which
/// two quotes stand for one and blanks at the end count for nothing; T or F; an integer; a real number, finite, with
/// exponent E or D. Behind it stand blanks, or '/' and a comment.
///
/// Beyond the standard, since files have it: no blank after '=', exponents in lower case, an integer of more than 64
/// bits (it is a real number). Complex numbers are not read. A text with a byte that is not printable ASCII has a
/// problem, and its value is the bytes as stored; what else has a problem has no value.
CardValue read_value(std::string_view card);

/// The text in quotes of a CONTINUE card; columns 9 and 10 are blank.
CardValue read_continued(std::string_view card);

/// An integer or a finite real number that the whole of the text is, leading and trailing blanks apart.
std::optional<KeywordValue> number_in(std::string_view text);

/// The text with '?' for each byte that is not printable ASCII.
std::string printable_ascii(std::string text);

}  // namespace srcextract
