#include "pipeline/sextractor/join_images.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "io/files/input_file.hpp"
#include "io/fits/card.hpp"
#include "io/fits/fits_reader.hpp"
#include "io/fits/header_values.hpp"

namespace srcextract {
namespace {

/// Offset of a header's END card; npos if `text` does not have it yet.
std::size_t end_card(std::string_view text) {
  for (std::size_t i = 0; i + card_length <= text.size(); i += card_length)
    if (is_end(text.substr(i, card_length))) return i;
  return text.npos;
}

/// The cards of a primary image, without END, converted to an extension header.
std::string as_extension(std::string cards) {
  const std::size_t axes_end = 5 * card_length;  // SIMPLE, BITPIX, NAXIS, NAXIS1, NAXIS2
  cards.insert(axes_end, format_card({"PCOUNT", std::int64_t{0}}) + format_card({"GCOUNT", std::int64_t{1}}));
  cards.replace(0, card_length, format_card({"XTENSION", std::string("IMAGE")}));
  cards += "END";
  cards.resize(static_cast<std::size_t>(in_records(std::ssize(cards))), ' ');
  return cards;
}

void append(const OutputFile& image, OutputFile& all) {
  std::string begin;
  bool in_header = true;
  image.read_back([&](std::span<const std::byte> bytes) {
    if (!in_header) return all.write(bytes);
    begin.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const std::size_t end = end_card(begin);
    if (end == begin.npos) return;
    in_header = false;
    all.write(as_extension(begin.substr(0, end)));
    all.write(std::string_view(begin).substr(static_cast<std::size_t>(in_records(static_cast<std::int64_t>(end) + 1))));
  });
}

}  // namespace

OutputFile join_images(const std::string& path, const std::map<int, OutputFile>& images) {
  OutputFile all(path);
  all.write(empty_primary_header());
  for (const auto& [hdu, image] : images) append(image, all);
  return all;
}

}  // namespace srcextract
