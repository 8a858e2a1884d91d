#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace srcextract {

/// Columns of a FITS card, and of its keyword (FITS Standard 4.0, 4.1).
inline constexpr std::size_t card_length = 80;
inline constexpr std::size_t keyword_length = 8;

/// A header value: logical, integer, real or text.
using KeywordValue = std::variant<bool, std::int64_t, double, std::string>;

/// The value of a card. An undefined value (a card without one) is neither a value nor a problem.
struct CardValue {
  std::optional<KeywordValue> value;
  std::string problem;     ///< why the value is unusable, "is not closed by a quote"; else empty
  bool continues = false;  ///< the text ends in '&', so a CONTINUE card may follow

  bool readable() const { return value && problem.empty(); }
};

/// Whether the keyword of a card is END, whatever follows in the card.
bool is_end(std::string_view card);

/// The name in columns 1 to 8 of a card with '=' in column 9; empty if it is no standard keyword. COMMENT, HISTORY,
/// CONTINUE, END, HIERARCH and blank cards have none, whatever follows: HIERARCH BSCALE is not BSCALE.
std::string_view keyword_of(std::string_view card);

/// The keyword that a misspelt card intends, in capital letters; other programs may accept it. A card is misspelt if:
/// - the keyword has small letters,
/// - the keyword does not begin in column 1,
/// - '=' is not in column 9.
///
/// Empty for a valid card with a value, and for free text. A COMMENT, HISTORY or END card yields its own name.
std::string meant_keyword(std::string_view card);

/// The problem of a misspelt card, for messages.
inline constexpr const char* misspelt_reason =
    "is none of FITS, where a keyword stands in capital letters from column 1 on, and '=' in column 9";

/// Reads the value of a card (FITS Standard 4.0, 4.2), in fixed or free format:
/// - text in quotes; two quotes stand for one, and trailing blanks are dropped;
/// - T or F;
/// - an integer;
/// - a finite real number with exponent E or D.
///
/// Blanks, or '/' and a comment, may follow. Some deviations from the standard occur in files and are accepted:
/// - no blank after '=';
/// - lower-case exponents;
/// - integers beyond 64 bits, which become real numbers.
///
/// Complex numbers are not read. Text with a byte that is not printable ASCII has a problem, and keeps its bytes as the
/// value. Any other problem leaves no value.
CardValue read_value(std::string_view card);

/// The quoted text of a CONTINUE card; columns 9 and 10 are blank.
CardValue read_continued(std::string_view card);

/// The integer or finite real number that the whole text spells, apart from blanks at the ends.
std::optional<KeywordValue> number_in(std::string_view text);

/// The text with '?' for each byte that is not printable ASCII.
std::string printable_ascii(std::string text);

}  // namespace srcextract
