#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace srcextract {

/// A binary table of a FITS file, as far as a reader of numbers needs it: its cards, and the first row of its columns
/// of numbers.
struct NumberTable {
  std::string name;  ///< EXTNAME
  std::map<std::string, std::variant<double, std::string>, std::less<>> cards;
  std::map<std::string, std::vector<double>, std::less<>> columns;
  std::int64_t rows = 0;
};

/// The numbers of the tables of a file, or what is wrong with it. There is a set for every image of a file that the
/// numbers are for, or one for all.
struct TableNumbers {
  std::vector<std::vector<double>> sets = {};
  std::string problem = {};  ///< empty: none
};

/// Reads and checks the numbers of a FITS file that a key names (Field::tables).
using ReadTables = TableNumbers (*)(const std::vector<NumberTable>& tables);

}  // namespace srcextract
