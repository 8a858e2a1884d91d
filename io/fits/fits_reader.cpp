#include "io/fits/fits_reader.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <utility>

#include "io/files/input_file.hpp"
#include "io/fits/start_cfitsio.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

constexpr std::size_t card_length = 80;

[[noreturn]] void fail(const std::string& message) {
  throw Error(ErrorKind::input, message);
}

std::string keyword_of(std::string_view card) {
  char text[FLEN_CARD] = "", name[FLEN_KEYWORD] = "";
  card.copy(text, card_length);
  int length = 0, status = 0;
  fits_get_keyname(text, name, &length, &status);
  return status == 0 ? name : "";
}

/// The value that a card holds, as text; empty if there is none.
std::string value_of(std::string_view card) {
  char text[FLEN_CARD] = "", value[FLEN_VALUE] = "", comment[FLEN_COMMENT] = "";
  card.copy(text, card_length);
  int status = 0;
  fits_parse_value(text, value, comment, &status);
  return status == 0 ? value : "";
}

/// The number that a card holds, as leniently as CFITSIO reads it; 0 if there is none.
double number_in(std::string_view card) {
  const std::string value = value_of(card);
  return std::strtod(value.c_str() + value.starts_with('\''), nullptr);
}

bool is_count(std::string_view text, std::int64_t limit) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return stop == end && error == std::errc() && value >= 0 && value <= limit;
}

/// The cards that begin at `begin`, up to and with END; nothing if no HDU begins there: what follows the last HDU of a
/// file (padding, special records, another file) is not ours to judge.
std::optional<std::string_view> find_cards(std::span<const std::byte> records, std::int64_t begin,
                                           const std::string& where) {
  if (begin >= std::ssize(records)) return std::nullopt;
  const std::string_view text(reinterpret_cast<const char*>(records.data()) + begin,
                              records.size() - static_cast<std::size_t>(begin));
  if (!text.starts_with(begin == 0 ? "SIMPLE  " : "XTENSION")) return std::nullopt;
  for (std::size_t card = 0; card + card_length <= text.size(); card += card_length) {
    if (text.substr(card, 8) == "END     ") return text.substr(0, card + card_length);
  }
  fail(where + ": the header has no END card: the file is truncated or is no FITS file; fetch or make it again");
}

/// The largest value of a keyword that CFITSIO survives, or nothing if it checks the value itself: it keeps the axes in
/// an array of this length, and divides by what describes the tiles, as soon as it sees the header.
std::optional<double> largest(const std::string& keyword, bool rice) {
  if (keyword == "NAXIS") return 99;
  if (keyword.starts_with("ZTILE") || (keyword.starts_with("ZNAXIS") && keyword != "ZNAXIS")) {
    return std::numeric_limits<std::int32_t>::max();
  }
  if (rice && (keyword == "ZVAL1" || keyword == "ZVAL2")) return 64;
  return std::nullopt;
}

/// The cards that a table begins with. CFITSIO makes room for TFIELDS columns, however many that says, or for as many
/// as its stack happens to say where one of these is not what it has to be.
void check_table_cards(std::string_view cards, const std::string& where) {
  const std::string kind = value_of(cards.substr(0, card_length));
  if (!kind.starts_with("'BINTABLE") && !kind.starts_with("'A3DTABLE") && !kind.starts_with("'TABLE")) return;
  constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 7> first_cards{{{"BITPIX", 8},
                                                                                  {"NAXIS", 2},
                                                                                  {"NAXIS1", any},
                                                                                  {"NAXIS2", any},
                                                                                  {"PCOUNT", any},
                                                                                  {"GCOUNT", 1},
                                                                                  {"TFIELDS", 999}}};
  for (const auto& [keyword, limit] : first_cards) {
    cards.remove_prefix(std::min(card_length, cards.size()));
    const std::string_view card = cards.substr(0, card_length);
    if (keyword_of(card) == keyword && is_count(value_of(card), limit)) continue;
    const std::string range = limit < any ? "from 0 to " + std::to_string(limit) : "from 0 on";
    fail(where + ": the header of the table has '" + std::string(card.substr(0, 30)) + "' where " +
         std::string(keyword) + " must be, a number " + range + "; it is damaged or not valid FITS");
  }
}

void check_cards(std::string_view cards, const std::string& where) {
  const bool compressed = cards.find("ZIMAGE") != std::string_view::npos;
  const bool rice = compressed && cards.find("RICE") != std::string_view::npos;
  for (; !cards.empty(); cards.remove_prefix(card_length)) {
    const std::string_view card = cards.substr(0, card_length);
    const std::string keyword = keyword_of(card);
    if (keyword.starts_with('Z') && !compressed) continue;
    const std::optional<double> limit = largest(keyword, rice);
    if (!limit) continue;
    const double number = number_in(card);
    const double least = keyword == "NAXIS" ? 0 : 1;
    if (number >= least && number <= *limit) continue;
    fail(where + ": " + keyword + " makes no sense: '" + std::string(card.substr(0, 30)) +
         "'; the header is damaged or not valid FITS");
  }
}

}  // namespace

bool has_pixels(const Hdu& hdu) {
  if (hdu.kind != HduKind::image && hdu.kind != HduKind::compressed_image) return false;
  return !hdu.axes.empty() && std::ranges::find(hdu.axes, 0) == hdu.axes.end();
}

std::string label(const Hdu& hdu) {
  const std::string name = hdu.name.empty() ? "" : " '" + hdu.name + "'";
  return "HDU " + std::to_string(hdu.index) + name;
}

std::string describe(const Hdu& hdu, const std::string& path) {
  return label(hdu) + " of " + path;
}

std::string empty_primary_header() {
  std::string header;
  for (const char* card : {"SIMPLE  =                    T", "BITPIX  =                    8",
                           "NAXIS   =                    0", "EXTEND  =                    T", "END"}) {
    header += card;
    header.resize((header.size() + card_length - 1) / card_length * card_length, ' ');
  }
  header.resize(fits_record, ' ');
  return header;
}

FitsReader::FitsReader(std::span<const std::byte> records, std::string path, int first)
    // CFITSIO takes no pointer to const, and writes to no file that is opened READONLY. It forgets the errors in the
    // last header of a file in memory (fftrun sets the status anew), so the record of zeros at the end belongs to it.
    : records_(records),
      path_(std::move(path)),
      memory_(const_cast<std::byte*>(records.data())),
      length_(records.size()),
      index_(first - 1) {
  start_cfitsio();
  const std::string_view text(reinterpret_cast<const char*>(records.data()), length_);
  if (text.starts_with("SIMPLE  ")) return;
  fail(path_ +
       ": not a FITS file: it does not begin with 'SIMPLE  ='; plain, gzipped and tile-compressed FITS "
       "files can be read");
}

FitsReader::~FitsReader() {
  int status = 0;
  if (fits_) fits_close_file(fits_, &status);
}

void FitsReader::check(int status, const std::string& doing) const {
  if (status == 0) return;
  if (status == MEMORY_ALLOCATION) {
    fits_clear_errmsg();
    throw Error(ErrorKind::memory, where_ + ": not enough memory to " + doing +
                                       " (CFITSIO could get no more); run with more memory, or funpack the file "
                                       "first: a plain image needs less");
  }
  char text[FLEN_STATUS] = "", line[FLEN_ERRMSG] = "";
  fits_get_errstatus(status, text);
  // The first two messages say what is wrong; the others, which functions failed over it.
  std::string said = text;
  for (int message = 0; fits_read_errmsg(line); ++message) {
    if (message < 2) said += std::string("; ") + line;
  }
  fail(where_ + ": cannot " + doing + ": the file is damaged or not valid FITS (CFITSIO: " + said +
       "); `fitsverify` tells more");
}

std::optional<std::int64_t> FitsReader::integer(const std::string& keyword) {
  LONGLONG value = 0;
  int status = 0;
  fits_clear_errmsg();
  fits_read_key_lnglng(fits_, keyword.c_str(), &value, nullptr, &status);
  if (status == KEY_NO_EXIST || status == VALUE_UNDEFINED) return std::nullopt;
  check(status, "read the integer " + keyword);
  return value;
}

std::optional<double> FitsReader::real(const std::string& keyword) {
  double value = 0;
  int status = 0;
  fits_clear_errmsg();
  fits_read_key_dbl(fits_, keyword.c_str(), &value, nullptr, &status);
  if (status == KEY_NO_EXIST || status == VALUE_UNDEFINED) return std::nullopt;
  check(status, "read the number " + keyword);
  return value;
}

std::int64_t FitsReader::data_bytes(bool random_groups) {
  const std::int64_t naxis = integer("NAXIS").value_or(0);
  const std::int64_t parameters = integer("PCOUNT").value_or(0), groups = integer("GCOUNT").value_or(1);
  std::int64_t bytes = naxis > 0 ? 1 : 0;
  bool impossible = parameters < 0 || groups < 0;
  for (std::int64_t axis = random_groups ? 2 : 1; axis <= naxis; ++axis) {
    const std::int64_t length = integer("NAXIS" + std::to_string(axis)).value_or(-1);
    impossible |= length < 0 || __builtin_mul_overflow(bytes, length, &bytes);
  }
  impossible |= __builtin_add_overflow(bytes, parameters, &bytes) || __builtin_mul_overflow(bytes, groups, &bytes);
  const std::int64_t bitpix = integer("BITPIX").value_or(8);
  impossible |= bitpix < -64 || bitpix > 64 || __builtin_mul_overflow(bytes, std::abs(bitpix) / 8, &bytes);
  if (impossible)
    fail(where_ + ": BITPIX and NAXISn tell a size of the data that no file can have; the header is damaged");
  return bytes;
}

Hdu FitsReader::read_structure(std::string_view cards, int type) {
  Hdu hdu;
  hdu.index = index_;
  hdu.cards = cards;
  hdu.begin = next_begin_;
  int status = 0, naxis = 0;
  const bool compressed = fits_is_compressed_image(fits_, &status);
  if (compressed || type == IMAGE_HDU) {
    fits_get_img_type(fits_, &hdu.bitpix, &status);
    fits_get_img_dim(fits_, &naxis, &status);
    std::vector<LONGLONG> axes(static_cast<std::size_t>(naxis));
    fits_get_img_sizell(fits_, naxis, axes.data(), &status);
    check(status, "find the size of the image");
    hdu.axes.assign(axes.begin(), axes.end());
    hdu.kind = compressed ? HduKind::compressed_image : HduKind::image;
  } else if (type == ASCII_TBL || type == BINARY_TBL) {
    hdu.kind = type == ASCII_TBL ? HduKind::ascii_table : HduKind::binary_table;
  }
  int groups = 0, missing = 0;
  fits_read_key_log(fits_, "GROUPS", &groups, nullptr, &missing);
  const bool random_groups = groups && hdu.kind == HduKind::image && !hdu.axes.empty() && hdu.axes[0] == 0;
  if (random_groups) hdu.kind = HduKind::random_groups;

  char name[FLEN_VALUE] = "";
  missing = 0;
  fits_read_key_str(fits_, "EXTNAME", name, nullptr, &missing);
  hdu.name = name;
  where_ = describe(hdu, path_);
  LONGLONG data_begin = 0;
  fits_get_hduaddrll(fits_, nullptr, &data_begin, nullptr, &status);
  check(status, "find the data");
  hdu.data_begin = data_begin;
  hdu.data_bytes = data_bytes(random_groups);
  return hdu;
}

std::optional<Hdu> FitsReader::next() {
  ++index_;
  where_ = "HDU " + std::to_string(index_) + " of " + path_;
  std::optional<std::string_view> cards = find_cards(records_, next_begin_, where_);
  if (!cards) return std::nullopt;
  check_cards(*cards, where_);
  check_table_cards(*cards, where_);
  fits_clear_errmsg();
  int status = 0, type = IMAGE_HDU;
  if (!fits_) {
    // The name is CFITSIO's name for what is in memory. Without a function to enlarge the memory it never does.
    fits_open_memfile(&fits_, "memory", READONLY, &memory_, &length_, 0, nullptr, &status);
  } else {
    fits_movrel_hdu(fits_, 1, &type, &status);
  }
  check(status, "read the header");
  Hdu hdu = read_structure(*cards, type);
  LONGLONG end = 0;
  fits_get_hduaddrll(fits_, nullptr, nullptr, &end, &status);
  check(status, "find the end of the data");
  // Where sizes overflow, the next HDU would lie before this one.
  if (end <= hdu.begin) fail(where_ + ": the header tells an impossible size of the data; it is damaged");
  next_begin_ = end;
  return hdu;
}

}  // namespace srcextract
