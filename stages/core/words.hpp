#pragma once

#include <string>
#include <vector>

namespace srcextract {

/// Returns the candidate of which `word` is most likely a misspelling: the one with the fewest letters to insert,
/// delete or change, ignoring case. If more than a third of the word would have to change, returns the first candidate
/// that contains the word. Returns an empty text if there is none, or if the word has fewer than 3 letters.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

/// Quotes a text for messages: in '', shortened if very long.
std::string quoted(const std::string& text);

/// "a, b, c".
std::string join(const std::vector<std::string>& words);

}  // namespace srcextract
