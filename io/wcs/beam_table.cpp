#include "io/wcs/beam_table.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <variant>

#include "io/files/passing.hpp"
#include "io/files/refuse.hpp"
#include "io/tables/table_file.hpp"
#include "io/wcs/unit.hpp"
#include "stages/core/ascii.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

/// Limit on the bytes of memory for the table, far more than the largest cube needs.
constexpr std::int64_t most_bytes = std::int64_t{1} << 28;

struct BeamColumn {
  const char* name;
  const char* unit;   ///< unit to which values are converted; empty for plain numbers
  const char* usual;  ///< unit of the values if the column states none
  double PlaneBeam::*real = nullptr;
  std::int64_t PlaneBeam::*whole = nullptr;
};

constexpr BeamColumn beam_columns[] = {{"BMAJ", "arcsec", "arcsec", &PlaneBeam::major},
                                       {"BMIN", "arcsec", "arcsec", &PlaneBeam::minor},
                                       {"BPA", "deg", "deg", &PlaneBeam::angle},
                                       {"CHAN", "", "", nullptr, &PlaneBeam::channel},
                                       {"POL", "", "", nullptr, &PlaneBeam::polarisation}};

std::size_t index_of(const TableFile& table, const char* name) {
  const auto found =
      std::ranges::find_if(table.columns, [&](const ColumnHead& head) { return equal_in_any_case(head.name, name); });
  if (found == table.columns.end())
    refuse(table.path, std::string("its table BEAMS has no column ") + name + "; set beam.source to header or given");
  return static_cast<std::size_t>(found - table.columns.begin());
}

double factor_of(const TableFile& table, const ColumnHead& head, const BeamColumn& column) {
  if (column.unit[0] == '\0') return 1;
  const std::optional<double> factor = unit_factor(head.unit.empty() ? column.usual : head.unit, column.unit);
  if (!factor)
    refuse(table.path, "its table BEAMS has " + std::string(column.name) + " in '" + head.unit +
                           "', which is no angle; set beam.source to header or given");
  return *factor;
}

void fill_beams(const ColumnValues& values, const BeamColumn& column, double factor, std::vector<PlaneBeam>& beams) {
  std::visit(
      [&]<class T>(const std::vector<T>& of_rows) {
        if constexpr (!std::is_same_v<T, std::string>)
          for (std::size_t row = 0; row < beams.size(); ++row) {
            const auto value = static_cast<double>(of_rows[row]);
            if (column.real != nullptr) beams[row].*column.real = value * factor;
            // A negative, NaN or huge number becomes -1, an index that no plane has; a cast of such a number would be
            // undefined.
            if (column.whole != nullptr)
              beams[row].*column.whole = value >= 0 && value < 1e15 ? static_cast<std::int64_t>(value) : -1;
          }
      },
      values);
}

}  // namespace

bool has_beam_table(const std::string& path) try {
  char start[2] = {};
  std::ifstream(path, std::ios::binary).read(start, 2);
  if (start[0] == '\x1f' && start[1] == '\x8b') return false;
  open_table(path + "[BEAMS]", {.bytes = most_bytes});
  return true;
} catch (const PassingError&) {
  throw;
} catch (const Error&) {
  return false;
}

std::vector<PlaneBeam> read_beam_table(const std::string& path) {
  const TableFile file = open_table(path + "[BEAMS]", {.bytes = most_bytes});
  std::vector<std::size_t> indices;
  for (const BeamColumn& column : beam_columns) indices.push_back(index_of(file, column.name));
  const Table table = read_table(file, indices);
  std::vector<PlaneBeam> beams(static_cast<std::size_t>(table.rows));
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (std::holds_alternative<std::vector<std::string>>(table.columns[i].values))
      refuse(file.path,
             "its table BEAMS has text in " + table.columns[i].name + "; set beam.source to header or given");
    fill_beams(table.columns[i].values, beam_columns[i], factor_of(file, file.columns[indices[i]], beam_columns[i]),
               beams);
  }
  return beams;
}

}  // namespace srcextract
