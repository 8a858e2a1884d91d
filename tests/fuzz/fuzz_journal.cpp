#include "survey/journal/journal_files.hpp"
#include "tests/fuzz/fuzz_support.hpp"

/// A journal as another run finds it. A line that is read must come back from what is written of it.
int fuzz_journal(const std::uint8_t* data, std::size_t size) {
  using namespace srcextract;
  const std::string_view text = testing::as_text(data, size);
  const std::string path = testing::input_file(text, "journal.jsonl");
  testing::read_or_refused({ErrorKind::input}, [&] {
    const std::string directory = path.substr(0, path.rfind('/'));
    for (const auto& [name, images] : join_ledgers(read_journals(directory, [](const std::string&) {}))) {
      for (const auto& [hdu, record] : images) {
        const std::optional<ImageRecord> again = parse_record(format_record(record));
        testing::require(again && format_record(*again) == format_record(record), "a record is read as another");
      }
    }
  });
  return 0;
}
