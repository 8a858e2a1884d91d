#include "tests/truth/oracle/table.hpp"

#include <iomanip>
#include <numbers>
#include <ostream>
#include <string>
#include <utility>

namespace srcextract::oracle {
namespace {

using Row = std::vector<std::pair<std::string, double>>;

void add_isophote(const Object& object, Row& row) {
  const Shape& shape = object.shape;
  const auto number = [](long value) { return static_cast<double>(value); };
  row.insert(row.end(), {{"ID_PARENT", object.parent},
                         {"X_IMAGE", shape.x + 1},
                         {"Y_IMAGE", shape.y + 1},
                         {"ISOAREAF_IMAGE", number(object.filtered_area)},
                         {"ISOAREA_IMAGE", number(object.analysis_area)},
                         {"XMIN_IMAGE", object.x_min + 1},
                         {"XMAX_IMAGE", object.x_max + 1},
                         {"YMIN_IMAGE", object.y_min + 1},
                         {"YMAX_IMAGE", object.y_max + 1},
                         {"XPEAK_IMAGE", object.x_peak + 1},
                         {"YPEAK_IMAGE", object.y_peak + 1},
                         {"THRESHOLD", object.threshold}});
}

}  // namespace

void write_table(std::ostream& out, std::vector<Object>& objects, const Field& /*field*/,
                 const Settings& /*settings*/) {
  bool named = false;
  out << std::setprecision(17);
  for (Object& object : objects) {
    if (object.eaten_by >= 0) continue;
    Row row;
    add_isophote(object, row);
    row.emplace_back("FLAGS", object.flags);
    if (!named) {
      for (const auto& [name, value] : row) out << name << ' ';
      out << '\n';
      named = true;
    }
    for (const auto& [name, value] : row) out << value << ' ';
    out << '\n';
  }
}

}  // namespace srcextract::oracle
