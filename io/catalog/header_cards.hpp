#pragma once

#include <string_view>

#include "io/fits/card.hpp"

namespace srcextract {

/// The keyword in columns 1 to 8 of a card, without the blanks behind it.
inline std::string_view name_of(std::string_view card) {
  const std::string_view name = card.substr(0, keyword_length);
  return name.substr(0, name.find_last_not_of(' ') + 1);
}

/// Whether such a card says how a file is built, and not what the image in it is.
bool is_of_file(std::string_view name);

/// Whether it says what one image is, so that no other image of the file inherits it from the primary HDU.
bool is_of_one_image(std::string_view name);

/// Calls f(card, name) for the cards before END.
template <class F>
void for_each_card(std::string_view cards, F&& f) {
  for (; cards.size() >= card_length && !is_end(cards.substr(0, card_length)); cards.remove_prefix(card_length))
    f(cards.substr(0, card_length), name_of(cards));
}

}  // namespace srcextract
