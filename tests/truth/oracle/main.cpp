// The definitions of SExtractor's catalogue, written plainly: a slow program of its own that shares nothing with
// srcextract, to hold both against. Reads a field (field.hpp) and writes a table of text, a row for each object; with
// --labels FILE also an int32 image of the rows (from 1) that pixels belong to, before CLEAN if that is off.
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

#include "tests/truth/oracle/extract.hpp"
#include "tests/truth/oracle/photometry.hpp"
#include "tests/truth/oracle/table.hpp"

namespace {

using namespace srcextract::oracle;

void write_labels(const std::string& path, const std::vector<Object>& objects, const Field& field) {
  std::vector<std::int32_t> rows(objects.size());
  std::int32_t last = 0;
  for (const Object& object : objects) {
    if (object.absorbed_by < 0) rows[static_cast<std::size_t>(object.number)] = ++last;
  }
  Plane<std::int32_t> labels{field.image.width, field.image.height, {}};
  labels.values.resize(field.image.values.size());
  for (const Object& object : objects) {
    std::size_t owner = static_cast<std::size_t>(object.number);
    while (objects[owner].absorbed_by >= 0) owner = static_cast<std::size_t>(objects[owner].absorbed_by);
    for (const Pixel& pixel : object.pixels) labels.at(pixel.x, pixel.y) = rows[owner];
  }
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(labels.values.data()),
             static_cast<std::streamsize>(4 * labels.values.size()));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    Settings settings;
    Field field;
    read_field(std::cin, settings, field);
    std::srand(settings.seed);
    std::vector<Object> objects = find_objects(field, settings);
    const Masks masks(objects, field, settings);
    for (Object& object : objects) {
      if (object.absorbed_by < 0) measure(object, masks, field, settings);
    }
    write_table(std::cout, objects, settings);
    if (argc == 3 && std::string(argv[1]) == "--labels") write_labels(argv[2], objects, field);
    return std::cout.flush() ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "sextractor_oracle: " << error.what() << '\n';
    return 1;
  }
}
