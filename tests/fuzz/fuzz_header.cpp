#include "tests/fuzz/image_support.hpp"
#include "tests/support/fits_writer.hpp"

/// A header, a card a line, before data that are all zeros; an END among the lines begins an extension.
int fuzz_header(const std::uint8_t* data, std::size_t size) {
  using namespace srcextract;
  constexpr std::size_t record = 2880, most_lines = 400;
  std::string_view lines = testing::as_text(data, size);
  if (static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n')) > most_lines) return 0;
  std::string file;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find("\nEND\n"), lines.size());
    file += testing::cards_of(lines.substr(0, end));
    file.resize((file.size() + record - 1) / record * record, ' ');
    file.resize(file.size() + 2 * record, '\0');
    lines.remove_prefix(std::min(end + 5, lines.size()));
  }
  const std::string path = testing::input_file(file, "header.fits");
  testing::read_or_refused({ErrorKind::input}, [&] {
    for (const SelectedImage& selected : select_images(path, "all")) testing::read_header(selected.open());
  });
  return 0;
}
