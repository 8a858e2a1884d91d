#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/fits/card.hpp"

namespace srcextract {

/// The values of a FITS header, by keyword: what a file says comes to the program, and to the libraries below it,
/// through here alone. Cards are found by an index that is made once, and read when they are asked for.
///
/// Of several cards of a keyword, find() takes the first, as CFITSIO and astropy.io.fits do. The typed readers are for
/// what the meaning of the data hangs on: they refuse cards that differ.
class Header {
 public:
  /// Cards of 80 columns, up to the END card or the end of the text, which must outlive this; less than a card at the
  /// end is left out. `where` begins the messages: "HDU 1 'SCI' of image.fits".
  explicit Header(std::string_view cards, std::string where = "the header");

  /// Whether there is a card of the keyword, with a value or without. Keywords are of 1 to 8 characters.
  bool has(std::string_view keyword) const;

  /// What the header says of the keyword; neither value nor problem if there is no card. A long text (CONTINUE) is
  /// read up to its end, of at most `longest_text` bytes.
  CardValue find(std::string_view keyword) const;

  /// The same of every card of the keyword, in the order of the file.
  std::vector<CardValue> find_all(std::string_view keyword) const;

  static constexpr std::size_t longest_text = 65536;

  // Nothing if there is no card, or none with a value. Otherwise these throw Error{input} that names the card, if its
  // value cannot be read, is of another type, or out of range, or if two cards of the keyword say different things. A
  // number in quotes is a number, a real number without a fraction an integer, an integer a real number.
  std::optional<bool> logical(std::string_view keyword) const;
  std::optional<std::int64_t> integer(std::string_view keyword,
                                      std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                                      std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;
  std::optional<double> real(std::string_view keyword) const;
  std::optional<std::string> text(std::string_view keyword) const;

  /// The keywords of all cards with '=' in column 9, in the order of the file, each as often as it comes.
  std::vector<std::string_view> keywords() const;

  /// A card that is not as the standard has it, and the keyword that it means (meant_keyword).
  struct Misspelt {
    std::string keyword;
    std::string_view card;
  };
  std::vector<Misspelt> misspelt() const;

  /// The cards, END included if it is there.
  std::string_view cards() const { return cards_; }

 private:
  struct Place {
    std::uint64_t name;  ///< the 8 columns of the keyword
    std::size_t at;      ///< of the card
    bool operator<(const Place& other) const { return name != other.name ? name < other.name : at < other.at; }
  };
  using Places = std::vector<Place>::const_iterator;

  std::pair<Places, Places> places(std::string_view keyword) const;
  CardValue read(std::size_t at) const;
  std::optional<KeywordValue> the_one(std::string_view keyword) const;
  [[noreturn]] void refuse(std::string_view keyword, const std::string& problem) const;

  std::string_view cards_;
  std::string where_;
  std::vector<Place> index_;  ///< sorted
};

/// The cards that a text begins with, up to and with END; nothing if there is none.
std::optional<std::string_view> cards_to_end(std::string_view text);

/// What a value is as a number; a number in quotes is one.
std::optional<double> as_real(const KeywordValue& value);
std::optional<std::int64_t> as_integer(const KeywordValue& value);

}  // namespace srcextract
