#pragma once

#include <string>
#include <vector>

namespace srcextract {

/// Returns the candidate that a misspelt `word` most likely means: the candidate with the fewest letters to insert,
/// delete or change, ignoring case. If every candidate would need changes to more than about a third of the word,
/// a word of at least 3 letters gives the first candidate that contains the word in the same case. Otherwise the result
/// is an empty text.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

/// Encloses a text in '' for messages. Of more than 80 characters, only the first 80 and "..." remain.
std::string quoted(const std::string& text);

/// A text as one word of a shell, in '' unless it is plain.
std::string shell_word(const std::string& text);

/// The words separated by commas: "a, b, c".
std::string join(const std::vector<std::string>& words);

}  // namespace srcextract
