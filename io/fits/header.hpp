#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/fits/card.hpp"

namespace srcextract {

/// The values of a FITS header, by keyword. The constructor indexes the cards; values are parsed when they are asked
/// for.
///
/// If a keyword has several cards, find() takes the first, as CFITSIO and astropy.io.fits do. The typed readers,
/// logical() to text(), throw if such cards differ. Values that decide the meaning of the data should be read with the
/// typed readers.
class Header {
 public:
  /// Takes the text of 80-column cards, up to END or the end of the text. The text must outlive the header. An
  /// incomplete last card is ignored. Error messages begin with `where`, such as "HDU 1 'SCI' of image.fits".
  explicit Header(std::string_view cards, std::string where = "the header");

  /// Returns true if the keyword has a card, with a value or without. A keyword has 1 to 8 characters.
  bool has(std::string_view keyword) const;

  /// Returns the value of the keyword's first card. Returns neither value nor problem if the keyword has no card. A
  /// text that goes on in CONTINUE cards is read whole; more than `longest_text` bytes are a problem.
  CardValue find(std::string_view keyword) const;

  /// Returns the text of the keyword's first card; empty if there is no card or its value is no text.
  std::string first_text(std::string_view keyword) const;

  /// Returns the values of all cards of the keyword, in file order.
  std::vector<CardValue> find_all(std::string_view keyword) const;

  static constexpr std::size_t longest_text = 65536;

  // Typed readers. Each returns nothing if the keyword has no card, or only cards without a value. Each throws
  // Error{input} naming the card if:
  // - the value is unreadable, of another type, or out of range,
  // - two cards of the keyword differ.
  //
  // A number in quotes counts as a number. An integer counts as a real, and a real without a fraction as an integer.
  std::optional<bool> logical(std::string_view keyword) const;
  std::optional<std::int64_t> integer(std::string_view keyword,
                                      std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                                      std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;
  std::optional<double> real(std::string_view keyword) const;
  std::optional<std::string> text(std::string_view keyword) const;

  /// Returns the keywords of all valid cards with '=' in column 9, in file order. A keyword with several cards appears
  /// several times.
  std::vector<std::string_view> keywords() const;

  /// A card in which meant_keyword() finds a keyword. Valid cards without '=', such as COMMENT and HISTORY, are among
  /// them.
  struct Misspelt {
    std::string keyword;
    std::string_view card;
  };
  std::vector<Misspelt> misspelt() const;

  /// Text of the cards, up to and including END if there is an END card.
  std::string_view cards() const { return cards_; }

 private:
  struct Place {
    std::uint64_t name;  ///< the 8 characters of the keyword as one number
    std::size_t at;      ///< offset of the card in `cards_`
    bool operator<(const Place& other) const { return name != other.name ? name < other.name : at < other.at; }
  };
  using PlaceIterator = std::vector<Place>::const_iterator;

  std::pair<PlaceIterator, PlaceIterator> places(std::string_view keyword) const;
  CardValue read(std::size_t at) const;
  std::optional<KeywordValue> the_one(std::string_view keyword) const;
  [[noreturn]] void refuse(std::string_view keyword, const std::string& problem) const;

  std::string_view cards_;
  std::string where_;
  std::vector<Place> index_;  ///< all cards with a keyword, sorted by keyword, then by offset
};

/// Returns the cards at the front of a text, up to and including END; nothing if the text has no END card.
std::optional<std::string_view> cards_to_end(std::string_view text);

/// Return the value as a number, or nothing if it is none. A number in quotes counts as a number.
std::optional<double> as_real(const KeywordValue& value);
std::optional<std::int64_t> as_integer(const KeywordValue& value);

}  // namespace srcextract
