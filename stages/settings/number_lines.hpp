#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace srcextract {

/// A line of a text file of numbers: its words, which blanks part. There are no empty lines, and no comments (#).
struct NumberLine {
  std::int64_t number = 0;  ///< of the line in its file, from 1
  std::vector<std::string_view> words;
};

/// The numbers of such a file, or what is wrong with it.
struct FileNumbers {
  std::vector<double> values = {};
  std::string problem = {};  ///< empty: none
  std::int64_t line = 1;     ///< of the problem
};

/// Reads and checks the numbers of a file that a key names (Field::numbers).
using ReadNumbers = FileNumbers (*)(const std::vector<NumberLine>& lines);

}  // namespace srcextract
