#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>

#include "scripts/config_documents/documents.hpp"

namespace {

using srcextract::documents::Document;

void write(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw std::runtime_error(path + " cannot be written");
}

/// Compares the documents with the files under `root` and prints the names of files that differ. Unless `only_check` is
/// true, writes those files. Returns the number of files that differ.
int differing(const std::string& root, bool only_check) {
  int count = 0;
  for (const Document& document : srcextract::documents::documents(root)) {
    const std::string path = root + "/" + document.path;
    if (srcextract::documents::file_text(path) == document.text) continue;
    ++count;
    if (!only_check) write(path, document.text);
    std::printf("%s %s\n", document.path.c_str(), only_check ? "is not what is declared" : "written");
  }
  return count;
}

}  // namespace

int main(int argc, char** argv) try {
  const bool only_check = argc == 3 && std::string(argv[2]) == "--check";
  if (argc != 2 && !only_check) throw std::runtime_error("usage: config_documents ROOT [--check]");
  const int count = differing(argv[1], only_check);
  if (count == 0) std::puts("config_documents: all documents are what is declared");
  return only_check && count > 0 ? 1 : 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "config_documents: %s\n", error.what());
  return 2;
}
