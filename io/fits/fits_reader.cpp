#include "io/fits/fits_reader.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "io/files/refuse.hpp"
#include "io/fits/card.hpp"
#include "io/fits/foreign_file.hpp"
#include "io/fits/header_values.hpp"
#include "io/fits/table_head.hpp"

namespace srcextract {
namespace {

/// A header together with the text of its cards, to which the Header refers.
struct StoredHeader {
  std::string text;
  Header header;

  StoredHeader(std::string cards, const std::string& where) : text(std::move(cards)), header(text, where) {}
};

/// The text of a file from `begin` on, of which grow() reads more with each call.
class GrowingText {
 public:
  GrowingText(const InputFile& file, std::int64_t begin) : file_(file), begin_(begin) {}

  /// Quadruples the length of the text. Returns false at the end of the file, or once the text is as long as
  /// longest_header.
  bool grow() {
    const std::int64_t before = std::ssize(text_), there = std::min(file_.size() - begin_, longest_header);
    const std::int64_t size = std::min(there, before == 0 ? 4 * fits_record : 4 * before);
    if (size <= before) return false;
    text_.resize(static_cast<std::size_t>(size));
    file_.read(begin_ + before, size - before, reinterpret_cast<std::byte*>(text_.data()) + before);
    return true;
  }
  const std::string& text() const { return text_; }

 private:
  const InputFile& file_;
  std::int64_t begin_;
  std::string text_;
};

/// Throws Error{input} if the END card has more than blanks after END (FITS Standard 4.0, 4.4.1.1). Programs disagree
/// on whether a header ends at such a card.
void check_end(std::string_view card, const std::string& where) {
  const std::size_t more = card.find_first_not_of(' ', keyword_length);
  if (more == card.npos) return;
  refuse(where + ": more than blanks follows END in its card: '" + printable_ascii(std::string(card.substr(0, 30))) +
         "'; the header is damaged or not valid FITS; correct the card, or make the file again");
}

/// Returns the cards from `begin` to END, or nothing if no HDU begins there. Throws Error{input} if the header has no
/// END card.
std::optional<std::string> find_cards(const InputFile& file, std::int64_t begin, const std::string& where) {
  if (begin >= file.size()) return std::nullopt;
  GrowingText growing(file, begin);
  growing.grow();
  if (!begins_as_hdu(growing.text(), begin == 0)) return std::nullopt;
  std::size_t card = 0;
  do {
    const std::string_view text = growing.text();
    for (; card + card_length <= text.size(); card += card_length) {
      if (!is_end(text.substr(card, card_length))) continue;
      check_end(text.substr(card, card_length), where);
      return std::string(text.substr(0, card + card_length));
    }
  } while (growing.grow());
  if (std::ssize(growing.text()) == longest_header) {
    refuse(where + ": the header has no END card in its first " + std::to_string(longest_header >> 20) +
           " MiB, the most that is read of one; remove cards that nobody needs (its HISTORY, say)");
  }
  refuse(where + ": the header has no END card: the file is truncated or is no FITS file; fetch or make it again");
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
  return whole_header(format_card({"SIMPLE", true}) + format_card({"BITPIX", std::int64_t{8}}) +
                      format_card({"NAXIS", std::int64_t{0}}) + format_card({"EXTEND", true}));
}

FitsReader::FitsReader(const InputFile& file) : file_(file) {
  std::string begin(static_cast<std::size_t>(std::min<std::int64_t>(file.size(), foreign_bytes)), '\0');
  file.read(0, std::ssize(begin), reinterpret_cast<std::byte*>(begin.data()));
  if (begins_as_hdu(begin.substr(0, keyword_length), true)) return;
  const std::string kind = describe_foreign_file(std::as_bytes(std::span(begin)), file.path());
  if (!kind.empty()) refuse(file.path() + ": not a FITS file" + kind);
  refuse(file.path() +
         ": not a FITS file: it does not begin with 'SIMPLE  ='; fetch or make it as FITS, "
         "which may be gzipped or tile-compressed");
}

std::optional<Hdu> FitsReader::next() {
  ++index_;
  where_ = "HDU " + std::to_string(index_) + " of " + path();
  std::optional<std::string> cards = find_cards(file_, next_begin_, where_);
  if (!cards) return std::nullopt;
  auto stored = std::make_shared<const StoredHeader>(std::move(*cards), where_);
  Hdu hdu;
  hdu.index = index_;
  hdu.header = {stored, &stored->header};
  hdu.cards = stored->text;
  hdu.begin = next_begin_;
  hdu.name = printable_ascii(hdu.header->first_text("EXTNAME"));
  if (const CardValue version = hdu.header->find("EXTVER"); version.value) hdu.version = as_integer(*version.value);
  where_ = describe(hdu, path());
  HduStructure structure = read_structure(*hdu.header, index_ == 0, where_);
  hdu.kind = structure.kind;
  hdu.bitpix = structure.bitpix;
  hdu.axes = std::move(structure.axes);
  hdu.data_begin = hdu.begin + in_records(std::ssize(hdu.cards));
  hdu.data_bytes = structure.data_bytes;
  next_begin_ = hdu.data_begin + in_records(hdu.data_bytes);
  return hdu;
}

}  // namespace srcextract
