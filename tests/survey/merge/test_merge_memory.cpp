#include <gtest/gtest.h>
#include <sys/resource.h>

#include <string>

#include "survey/merge/merge_images.hpp"
#include "survey/merge/merge_rows.hpp"
#include "tests/survey/journal/processes.hpp"
#include "tests/survey/merge/merge_support.hpp"

namespace srcextract {
namespace {

using testing::contents_of;
using testing::ForkedProcess;
using testing::random_sources;
using testing::TemporaryFolder;
using testing::TestImage;

long peak_kilobytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

/// By how many MB the memory of a process of its own grows that does this.
template <class Work>
long megabytes_of(Work&& work) {
  ForkedProcess process([&](const ForkedProcess::Stay& stay) {
    const long before = peak_kilobytes();
    work();
    stay(std::to_string((peak_kilobytes() - before) / 1000));
  });
  return std::stol(process.said());
}

TableHead head_of(const std::string& name) {
  return {.name = name, .columns = {}, .rows = 0, .creator = "srcextract 1", .history = {}};
}

TEST(MergeMemory, ALongTextOfOneImageIsNotTakenThousandsOfTimes) {
  const TemporaryFolder folder;
  const std::string path = folder / "images.fits", text(300'000, 'y');
  const long megabytes = megabytes_of([&] {
    TableStream out(path);
    write_images(
        out, head_of("IMAGES"),
        std::vector<SurveyImage>{{TestImage{"a.fits", {}, {}, "c", "", text}.record()},
                                 {TestImage{"b.fits", {}}.record()}},
        [](std::size_t) { return ""; }, std::vector<ImageHeader>(2), [](const std::string&) {});
    out.commit({});
  });
  EXPECT_LT(megabytes, 100);
  EXPECT_NE(contents_of(path).find(text), std::string::npos);
}

TEST(MergeMemory, RowsOfALongNameAreWrittenAFewAtATime) {
  const TemporaryFolder folder;
  constexpr std::size_t width = 50'000;
  constexpr std::int64_t rows = 3000;
  const std::string path = folder / "a.cat.fits", joined = folder / "joined.fits";
  write_catalog(path, CatalogFormat::fits, random_sources(rows, true, 1), {"1.2.3", "", "count", sum_unit("count")})
      .commit();
  const long megabytes = megabytes_of([&] {
    StoredTableReader reader;
    const InputFile file(path);
    const StoredTable& table = reader.read(file);
    SurveyLayout layout({{"IMAGE", std::to_string(width) + "A", "", "", "", std::nullopt, width}});
    layout.add(table, path);
    TableHead head = head_of("SOURCES");
    head.columns = layout.columns();
    head.rows = rows;
    TableStream out(joined);
    out.begin(head);
    const RowPlan plan = layout.plans().front();
    RowWriter writer(out);
    writer.copy(file, rows, table.data_begin, plan, "");
    writer.flush();
    out.commit({});
  });
  EXPECT_LT(megabytes, 50);
  EXPECT_GT(std::filesystem::file_size(joined), width * rows);
}

}  // namespace
}  // namespace srcextract
