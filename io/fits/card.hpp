#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace srcextract {

/// Number of characters in a FITS card and in its keyword field (FITS Standard 4.0, 4.1).
inline constexpr std::size_t card_length = 80;
inline constexpr std::size_t keyword_length = 8;

/// The value of a header keyword: logical, integer, real or text.
using KeywordValue = std::variant<bool, std::int64_t, double, std::string>;

/// Result of reading a card. A card without a value has an empty `value` and an empty `problem`.
struct CardValue {
  std::optional<KeywordValue> value;
  std::string problem;     ///< why the value is unusable, as in "is not closed by a quote"; else empty
  bool continues = false;  ///< the text ends in '&', so that a CONTINUE card may follow

  bool readable() const { return value && problem.empty(); }
};

/// Returns true if the keyword of the card is END, whatever follows END in the card.
bool is_end(std::string_view card);

/// Returns the keyword in columns 1 to 8 of a card with '=' in column 9. Returns an empty text if the keyword is
/// invalid or takes no value: COMMENT, HISTORY, CONTINUE, END, HIERARCH or blank. A card that begins with "HIERARCH
/// BSCALE" yields no keyword, in particular not BSCALE.
std::string_view keyword_of(std::string_view card);

/// Returns the keyword, in capital letters, that a misspelt card was probably meant to have; other programs may accept
/// the card. A card counts as misspelt if:
/// - the keyword has small letters,
/// - the keyword does not begin in column 1, or
/// - '=' is not in column 9.
///
/// Returns an empty text for a valid card with a value, and for free text. A card without '=' yields its first word,
/// such as COMMENT, HISTORY or END, if the word is in capital letters and begins in column 1.
std::string meant_keyword(std::string_view card);

/// The problem of a misspelt card, as error messages describe it.
inline constexpr const char* misspelt_reason =
    "is none of FITS, where a keyword stands in capital letters from column 1 on, and '=' in column 9";

/// Reads the value of a card (FITS Standard 4.0, 4.2), in fixed or free format:
/// - a text in quotes, in which two quotes stand for one, and trailing blanks are dropped;
/// - T or F;
/// - an integer;
/// - a finite real number with exponent E or D.
///
/// After the value, only blanks, or '/' and a comment, are valid. The following deviations from the standard occur in
/// files and are accepted:
/// - no blank after '=';
/// - exponents in small letters;
/// - integers beyond 64 bits, which become real numbers.
///
/// Complex numbers are not read. If a text has a byte that is not printable ASCII, the result has both the text,
/// unchanged, and a problem. Any other problem leaves no value.
CardValue read_value(std::string_view card);

/// Reads the quoted text of a CONTINUE card. The text begins in column 11 or later, after blanks.
CardValue read_continued(std::string_view card);

/// Returns the integer or finite real number that the text spells. Blanks at both ends are ignored. Returns nothing if
/// the text holds anything else.
std::optional<KeywordValue> number_in(std::string_view text);

/// Returns the text with '?' in place of each byte that is not printable ASCII.
std::string printable_ascii(std::string text);

}  // namespace srcextract
