#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/fits/card.hpp"

namespace srcextract {

/// The values of a FITS header, by keyword. All header values reach the program and its libraries through this class.
/// Cards are indexed once and parsed on demand.
///
/// If a keyword has several cards, find() takes the first, as CFITSIO and astropy.io.fits do. The typed readers refuse
/// cards that differ; use them for values that decide the meaning of the data.
class Header {
 public:
  /// Takes cards of 80 columns, up to END or the end of the text, which must outlive the header. An incomplete last
  /// card is ignored. `where` begins the messages: "HDU 1 'SCI' of image.fits".
  explicit Header(std::string_view cards, std::string where = "the header");

  /// Whether there is a card of the keyword, with a value or without. Keywords are of 1 to 8 characters.
  bool has(std::string_view keyword) const;

  /// The first card of the keyword; neither value nor problem if there is none. A long text (CONTINUE) is read up to
  /// its end, at most `longest_text` bytes.
  CardValue find(std::string_view keyword) const;

  /// The text of the first card; empty if there is none, or if it is no text.
  std::string first_text(std::string_view keyword) const;

  /// All cards of the keyword, in file order.
  std::vector<CardValue> find_all(std::string_view keyword) const;

  static constexpr std::size_t longest_text = 65536;

  // Typed readers; nothing if there is no card, or only cards without a value. Error{input} naming the card is thrown
  // if:
  // - its value is unreadable, of another type, or out of range,
  // - two cards of the keyword differ.
  //
  // Numbers in quotes count as numbers. Integers count as reals, and reals without a fraction as integers.
  std::optional<bool> logical(std::string_view keyword) const;
  std::optional<std::int64_t> integer(std::string_view keyword,
                                      std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                                      std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;
  std::optional<double> real(std::string_view keyword) const;
  std::optional<std::string> text(std::string_view keyword) const;

  /// The keywords of all cards with '=' in column 9, in file order; a keyword with several cards appears several times.
  std::vector<std::string_view> keywords() const;

  /// A misspelt card and the keyword that it intends (meant_keyword).
  struct Misspelt {
    std::string keyword;
    std::string_view card;
  };
  std::vector<Misspelt> misspelt() const;

  /// The cards, with END if it is there.
  std::string_view cards() const { return cards_; }

 private:
  struct Place {
    std::uint64_t name;  ///< the 8 columns of the keyword, packed
    std::size_t at;      ///< offset of the card
    bool operator<(const Place& other) const { return name != other.name ? name < other.name : at < other.at; }
  };
  using PlaceIterator = std::vector<Place>::const_iterator;

  std::pair<PlaceIterator, PlaceIterator> places(std::string_view keyword) const;
  CardValue read(std::size_t at) const;
  std::optional<KeywordValue> the_one(std::string_view keyword) const;
  [[noreturn]] void refuse(std::string_view keyword, const std::string& problem) const;

  std::string_view cards_;
  std::string where_;
  std::vector<Place> index_;  ///< sorted
};

/// The leading cards of a text up to and including END; nothing without END.
std::optional<std::string_view> cards_to_end(std::string_view text);

/// The value as a number; a number in quotes counts.
std::optional<double> as_real(const KeywordValue& value);
std::optional<std::int64_t> as_integer(const KeywordValue& value);

}  // namespace srcextract
