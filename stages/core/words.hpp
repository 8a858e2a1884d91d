#pragma once

#include <string>
#include <vector>

namespace srcextract {

/// The candidate that `word` is most likely a misspelling of: fewest letters to insert, delete or change, ignoring
/// case. If more than a third of the word would have to change: the first candidate that contains the word, or else an
/// empty text.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

/// Text quoted for messages: in '', shortened if very long.
std::string quoted(const std::string& text);

/// "a, b, c".
std::string join(const std::vector<std::string>& words);

}  // namespace srcextract
