#include "config/yaml.hpp"

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "config/sextractor_keys.hpp"
#include "stages/core/words.hpp"

namespace srcextract::config {
namespace {

/// yaml-cpp treats byte 4 as the end of the text, and reports a tab far from its place: refuse both first.
void check_characters(const std::string& text, const Origin& origin) {
  if (text.size() > most_bytes) fail(origin.name, "is larger than 1 MiB; this is no YAML that srcextract reads");
  YAML::Mark mark;
  bool indentation = true;
  for (char c : text) {
    if (c == '\t' && indentation) {
      fail(origin.at(mark), "a tab in the indentation; YAML wants spaces");
    }
    if (static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\n' && c != '\r') {
      fail(origin.at(mark), "a control character; YAML is plain UTF-8 text");
    }
    indentation = c == '\n' || (indentation && c == ' ');
    mark.line += c == '\n' ? 1 : 0;
    mark.column = c == '\n' ? 0 : mark.column + 1;
  }
}

/// Detects SExtractor's configuration: lines of a key in capitals, blanks, and a value. In YAML a colon follows a key.
/// Two of SExtractor's keys have no underscore, and could begin a line of another text.
void check_not_sextractor(const std::string& text, const Origin& origin) {
  std::istringstream lines(text);
  YAML::Mark mark;
  for (std::string line; std::getline(lines, line); ++mark.line) {
    std::string key, value;
    std::istringstream words(line);
    if (!(words >> key) || key.starts_with('#')) continue;
    if (key.find('_') == key.npos || find_sextractor_key(key) == nullptr || !(words >> value)) continue;
    if (value.starts_with(':')) continue;
    fail(origin.at(mark),
         "this is a configuration of SExtractor, and srcextract has keys of its own, in YAML; "
         "srcextract convert-config " +
             origin.name + " -o config.yaml makes one of ours of it");
  }
}

/// Records where the documents of a stream begin. YAML::Load reads only the first and silently ignores the rest,
/// including text after a line that is indented less than the first.
class DocumentStarts : public YAML::EventHandler {
 public:
  std::vector<YAML::Mark> marks;

  void OnDocumentStart(const YAML::Mark& mark) override { marks.push_back(mark); }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}
};

/// A node as a value, without the items of a list.
Value without_items(const YAML::Node& node, const Origin& origin, const YAML::Mark& key) {
  // yaml-cpp's tag is ? for a plain scalar or a collection, ! for a quoted scalar.
  if (node.Tag().size() > 1)
    fail(origin.at(node.Mark()), "the tag " + quoted(node.Tag()) + " has no use here; remove it");
  Value value{.kind = Value::Kind::empty, .text = {}, .items = {}, .place = origin.at(node, key)};
  if (node.IsSequence()) value.kind = Value::Kind::list;
  if (node.IsMap()) value.kind = Value::Kind::map;
  if (node.IsScalar()) {
    value.kind = node.Tag() == "!" ? Value::Kind::quoted : Value::Kind::plain;
    value.text = node.Scalar();
  }
  return value;
}

/// A node as a value, with the items of a list but not the items' own items.
Value with_items(const YAML::Node& node, const Origin& origin, const YAML::Mark& key) {
  Value value = without_items(node, origin, key);
  if (node.IsSequence()) {
    for (const YAML::Node& item : node) value.items.push_back(without_items(item, origin, node.Mark()));
  }
  return value;
}

/// A hint at the last line before `line` that has text, if it is a word without a colon; empty if it is not.
std::string missing_colon(const std::string& text, int line) {
  std::istringstream lines(text);
  std::string word;
  int number = 0, of_word = 0;
  for (std::string one; number < line && std::getline(lines, one); ++number) {
    one = one.substr(0, one.find(" #"));
    const std::size_t begin = one.find_first_not_of(' ');
    if (begin == one.npos || one[begin] == '#') continue;
    word = one.substr(begin, one.find_last_not_of(" \r") + 1 - begin);
    of_word = number + 1;
  }
  const bool is_word = !word.empty() && word.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == word.npos;
  return is_word ? "; is a colon missing after '" + word + "' in line " + std::to_string(of_word) + "?" : "";
}

}  // namespace

std::string Origin::at(const YAML::Mark& mark) const {
  if (!has_lines || mark.is_null()) return name;
  return name + ":" + std::to_string(mark.line + 1) + ":" + std::to_string(mark.column + 1);
}

std::string Origin::at(const YAML::Node& value, const YAML::Mark& key) const {
  return at(value.IsNull() ? key : value.Mark());
}

std::string read_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) fail(path, "is a directory; name the YAML file in it");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text(most_bytes + 1, '\0');
  if (file) file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad()) fail(path, std::string("cannot be read: ") + std::strerror(errno));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

YAML::Node load_yaml(const std::string& text, const Origin& origin) {
  if (origin.has_lines) check_not_sextractor(text, origin);
  check_characters(text, origin);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    DocumentStarts starts;
    // Stops before the end of the text: yaml-cpp reports a stray comma as endless empty documents.
    while (starts.marks.size() < 2 && parser.HandleNextDocument(starts)) {
    }
    if (starts.marks.size() > 1) {
      fail(origin.at(starts.marks[1]),
           "a second YAML document begins here, and the file must be one; look for a stray character, '---', '...' "
           "or a line indented less than the first");
    }
    return YAML::Load(text);
  } catch (const YAML::DeepRecursion& error) {
    fail(origin.at(error.mark), "nested far too deeply; the file is sections of keys");
  } catch (const YAML::Exception& error) {
    fail(origin.at(error.mark), "not valid YAML: " + error.msg + missing_colon(text, error.mark.line));
  }
}

Value to_value(const YAML::Node& node, const Origin& origin, const YAML::Mark& key) {
  Value value = with_items(node, origin, key);
  if (!node.IsSequence()) return value;
  for (std::size_t i = 0; i < node.size(); ++i) value.items[i] = with_items(node[i], origin, node.Mark());
  return value;
}

}  // namespace srcextract::config
