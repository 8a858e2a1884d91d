#include "config/sections.hpp"

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>

#include <sstream>

#include "config/number_file.hpp"
#include "config/sextractor_keys.hpp"

namespace srcextract::config {
namespace {

/// Throws Error{config} for a text of more than 1 MiB, for tabs in the indentation, and for control characters.
/// yaml-cpp reports tabs and control characters without a useful place, and takes the character 0x04 for the end of the
/// text.
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

/// Throws Error{config} if the text is a configuration of SExtractor, whose lines are a key in capitals, blanks, and a
/// value. In YAML a colon would follow the key. Keys without an underscore, such as GAIN, are ignored: the word could
/// begin a line of some other text.
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

/// Collects the positions where documents of a YAML stream begin. YAML::Load reads only the first document and silently
/// ignores the rest of the text, for example after a line that is indented less than the first line.
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

/// Returns a hint that a colon is missing, if the last line before `line` that is neither blank nor a comment is a
/// single word; else empty.
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

/// Reads the name of one column. Throws Error{config} if the text is a pattern (contains a *).
std::string read_one_column(const Value& value, const std::string& name) {
  std::string text;
  read_column(value, name, text);
  if (text.find('*') != std::string::npos)
    fail(value.place, "'" + name + "' must be one name, not " + srcextract::quoted(text));
  return text;
}

/// Returns a hint that a colon may be missing, if `node` is a text whose first word is one of `keys` ("a, b, c"); else
/// empty.
std::string missing_colon(const YAML::Node& node, const std::string& keys) {
  const std::string text = node.IsScalar() ? node.Scalar() : "";
  const std::size_t blank = text.find(' ');
  const std::string key = text.substr(0, blank);
  if (blank == text.npos || (", " + keys + ",").find(", " + key + ",") == text.npos) return "";
  return "; is a colon missing after '" + key + "'?";
}

}  // namespace

YAML::Node load_yaml(const std::string& text, const Origin& origin) {
  if (origin.has_lines) check_not_sextractor(text, origin);
  check_characters(text, origin);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    DocumentStarts starts;
    // Two documents are enough for the error. Reading on might never end: yaml-cpp reports a stray comma as endless
    // empty documents.
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

Value to_value(const YAML::Node& node, const Origin& origin, const YAML::Mark& key, int levels) {
  // A tag of more than one character was written in the file: without a written tag, yaml-cpp's Tag() is "?", or "!"
  // for a quoted scalar.
  if (node.Tag().size() > 1)
    fail(origin.at(node.Mark()), "the tag " + quoted(node.Tag()) + " has no use here; remove it");
  Value value{.kind = Value::Kind::empty, .text = {}, .items = {}, .place = origin.at(node, key)};
  if (node.IsSequence()) value.kind = Value::Kind::list;
  if (node.IsMap()) value.kind = Value::Kind::map;
  if (node.IsScalar()) {
    value.kind = node.Tag() == "!" ? Value::Kind::quoted : Value::Kind::plain;
    value.text = node.Scalar();
  }
  if (node.IsSequence() && levels > 0)
    for (const YAML::Node& item : node) value.items.push_back(to_value(item, origin, node.Mark(), levels - 1));
  return value;
}

void check_section_holds(const YAML::Node& node, const std::string& section, const std::string& keys,
                         const YAML::Mark& mark, const Origin& origin) {
  if (node.IsNull())
    fail(origin.at(mark), "section '" + section + "' is empty; give it a key, indented below it, or leave it out");
  if (!node.IsMap())
    fail(origin.at(node.Mark()),
         "'" + section + "' is a section and must hold keys: " + keys + missing_colon(node, keys));
}

void require_records(const YAML::Node& node, const Origin& origin, const YAML::Mark& key, const Field& field,
                     const Fields& known) {
  const std::string name = field.path(), keys = keys_in(known, name);
  const auto advice = [&](const YAML::Node& item) {
    const std::string what = item.IsScalar() ? quoted(item.Scalar())
                             : item.IsMap()  ? "a map"
                             : item.IsNull() ? "nothing"
                                             : "a list";
    return what + "; write [{KEY: " + (item.IsScalar() ? item.Scalar() : "value") + "}] with one of its keys, " + keys;
  };
  if (node.IsNull() || node.IsSequence())
    require_list(to_value(node, origin, key), name);
  else
    fail(origin.at(node, key), "'" + name + "' must be a list of maps of keys, not " + advice(node));
  for (const YAML::Node& item : node)
    if (!item.IsMap()) fail(origin.at(item.Mark()), "'" + name + "' must hold maps of keys, not " + advice(item));
}

void read_node(const YAML::Node& node, const Origin& origin, const YAML::Mark& key, const Field& field,
               std::map<std::string, std::string>& member) {
  const std::string name = field.path();
  if (!node.IsMap()) {
    fail(origin.at(node, key), "'" + name + "' must be a map of names, as in {X_IMAGE: xcentroid}");
  }
  member.clear();
  for_each_entry(node, origin, " in '" + name + "'", [&](const YAML::Node& from, const YAML::Node& to) {
    const std::string word = read_one_column(to_value(from, origin, from.Mark()), name + ".NAME");
    member[word] = read_one_column(to_value(to, origin, from.Mark()), name + "." + word);
  });
}

}  // namespace srcextract::config
