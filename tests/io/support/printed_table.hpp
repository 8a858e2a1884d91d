#pragma once

#include <cstdio>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "stages/catalogue/table.hpp"

namespace srcextract::testing {

/// A line for each column: name, unit, and the values, of which all digits are given.
inline std::string print(const Table& table) {
  std::string out;
  for (const TableColumn& column : table.columns) {
    out += column.name + " [" + column.unit + "]";
    const auto append = [&out]<class T>(const std::vector<T>& values) {
      for (const T& value : values) {
        if constexpr (std::is_same_v<T, std::string>) {
          out += " " + value;
        } else if constexpr (std::is_integral_v<T>) {
          out += " " + std::to_string(value);
        } else {
          char text[40];
          std::snprintf(text, sizeof(text), " %.17g", static_cast<double>(value));
          out += text;
        }
      }
    };
    std::visit(append, column.values);
    out += "\n";
  }
  return out;
}

/// The same in Python, of a table of Astropy's; an element of a vector is a column of its own.
inline constexpr const char* print_table = R"(
import numpy as np

def print_table(table):
    for name in table.colnames:
        column = table[name]
        vectors = np.ma.asarray(column).reshape(len(table), int(np.prod(column.shape[1:])))
        for element in range(vectors.shape[1]):
            words = [name + ('_%d' % element if element else ''), '[%s]' % (column.unit or '')]
            for value in vectors[:, element]:
                if value is np.ma.masked: words.append('' if vectors.dtype.kind in 'US' else 'nan')
                elif isinstance(value, (str, np.integer)): words.append(str(value))
                else: words.append('%.17g' % float(value))
            print(' '.join(words))
)";

}  // namespace srcextract::testing
