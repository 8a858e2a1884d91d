#include "io/fits/image_cards.hpp"

#include <limits>
#include <utility>

#include "io/fits/table_head.hpp"

namespace srcextract {
namespace {

constexpr std::string_view end_card = "END     ", first_card = "SKYLEVEL= ", sigma_keyword = "SKYSIGMA";
constexpr const char* extension_keyword = "IMGEXT";

std::string cards_of(const ImageFacts& facts) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  const SkyFacts sky = facts.sky.value_or(SkyFacts{unknown, unknown});
  std::string cards = format_card({"SKYLEVEL", sky.level}, "median of the clipped pixels");
  cards += format_card({std::string(sigma_keyword), sky.sigma}, "their standard deviation");
  for (const HeaderValue& value : facts.header) {
    const bool of_extension = value.keyword == "EXTNAME";
    const bool of_noise = value.keyword == noise_alpha_keyword || value.keyword == noise_beta_keyword;
    cards += format_card({of_extension ? extension_keyword : value.keyword, value.value},
                         of_extension ? "EXTNAME of the image"
                         : of_noise   ? "noise of N pixels: NOISALPH N^NOISBETA"
                                      : "of the image");
  }
  return cards;
}

double real_or_nan(const CardValue& value) {
  const auto* const real = value.value ? std::get_if<double>(&*value.value) : nullptr;
  return real ? *real : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

std::string with_image_cards(std::string header, const ImageFacts& facts) {
  if (facts == ImageFacts{}) return header;
  const std::size_t end = header.find_last_not_of(' ') + 1 - std::string_view("END").size();
  header.resize(end);
  return whole_header(std::move(header) + cards_of(facts));
}

std::size_t image_cards_begin(std::string_view cards) {
  std::size_t at = 0;
  while (at + card_length <= cards.size() && !cards.substr(at).starts_with(end_card) &&
         !cards.substr(at).starts_with(first_card))
    at += card_length;
  return at;
}

std::optional<ImageCards> read_image_cards(std::string_view cards) {
  ImageCards read;
  const bool any = cards.starts_with(first_card);
  for (; read.bytes + card_length <= cards.size(); read.bytes += card_length) {
    const std::string_view card = cards.substr(read.bytes, card_length);
    if (card.starts_with(end_card)) {
      read.bytes += card_length;
      return read;
    }
    if (!any) return std::nullopt;
    CardValue value = read_value(card);
    if (card.starts_with(first_card)) {
      read.facts.sky = SkyFacts{real_or_nan(value), 0};
    } else if (card.starts_with(sigma_keyword)) {
      read.facts.sky->sigma = real_or_nan(value);
    } else if (const std::string_view keyword = keyword_of(card); value.readable() && !keyword.empty()) {
      read.facts.header.push_back(
          {std::string(keyword == extension_keyword ? "EXTNAME" : keyword), std::move(*value.value)});
    }
  }
  return std::nullopt;
}

}  // namespace srcextract
