#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace srcextract {

/// A binary table of a FITS file, as a reader of numbers needs it: its header cards, and the first row of its numeric
/// columns.
struct NumberTable {
  std::string name;  ///< EXTNAME
  std::map<std::string, std::variant<double, std::string>, std::less<>> cards;
  std::map<std::string, std::vector<double>, std::less<>> columns;
  std::int64_t rows = 0;
};

/// The numbers from the tables of a file, or the problem with the file. There is one set for all images, or a set for
/// each image of the image's file.
struct TableNumbers {
  std::vector<std::vector<double>> sets = {};
  std::string problem = {};  ///< empty: none
};

/// A function that checks the tables of a FITS file named by a key, and returns their numbers (Field::tables).
using ReadTables = TableNumbers (*)(const std::vector<NumberTable>& tables);

}  // namespace srcextract
