#include "regression/verdict/compare.hpp"

#include "io/tables/table_file.hpp"
#include "io/wcs/unit.hpp"
#include "tests/fuzz/fuzz_support.hpp"

namespace {

using namespace srcextract;

Catalog catalog_of(const std::string& path, const SideRules& rules) {
  const TableFile file = open_table(path);
  Catalog catalog;
  catalog.name = path;
  for (const ColumnHead& column : file.columns) {
    catalog.columns.push_back(column.name);
    catalog.units.push_back(column.unit);
  }
  catalog.meanings = meanings_of(catalog.columns, rules, path);
  catalog.read = [file](const std::vector<std::size_t>& columns) { return read_table(file, columns); };
  return catalog;
}

}  // namespace

/// Two catalogues, one after the other with a line %% between them, that are compared.
int fuzz_compare(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = testing::as_text(data, size), between = "\n%%\n";
  const std::size_t end = input.find(between);
  if (end == input.npos) return 0;
  static const CompareRules rules = default_rules();
  const std::string reference = testing::input_file(input.substr(0, end + 1), "reference");
  const std::string other = testing::input_file(input.substr(end + between.size()), "new");
  constexpr std::int64_t memory = 1 << 26;
  testing::read_or_refused({ErrorKind::input, ErrorKind::config}, [&] {
    compare_catalogs(catalog_of(reference, rules.reference), catalog_of(other, rules.other), rules, unit_factor, 1,
                     memory);
  });
  return 0;
}
