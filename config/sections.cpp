#include "config/sections.hpp"

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>

#include <algorithm>
#include <sstream>

#include "config/number_file.hpp"
#include "config/sextractor_keys.hpp"
#include "stages/core/shortest_number.hpp"
#include "stages/core/words.hpp"

namespace srcextract::config {
namespace {

using Names = std::vector<std::string>;

bool contains(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Names sections(const Fields& fields) {
  Names names;
  for (const Field& field : fields) {
    if (!contains(names, field.section.name)) names.push_back(field.section.name);
  }
  return names;
}

Names keys_of(const Fields& fields, const std::string& section) {
  Names names;
  for (const Field& field : fields) {
    if (field.section.name == section) names.push_back(field.key);
  }
  return names;
}

Names sections_with(const Fields& fields, const std::string& key) {
  Names names;
  for (const Field& field : fields) {
    if (field.key == key) names.push_back(field.section.name);
  }
  return names;
}

/// Returns the end of a message about the unknown name `name`: what srcextract has for a SExtractor key of this name,
/// the sections that have such a key, the nearest valid name, or `otherwise` followed by all valid names.
std::string advice(const Fields& fields, const std::string& name, const Names& valid, const std::string& otherwise) {
  if (const std::string sextractors = sextractor_key_advice(name); !sextractors.empty()) return "; " + sextractors;
  const Names homes = sections_with(fields, name);
  if (!homes.empty()) return "; it is a key of " + join(homes);
  const std::string near = nearest(name, valid);
  return near.empty() ? "; " + otherwise + " " + join(valid) : "; did you mean '" + near + "'?";
}

/// Returns the limit of `field` that `number` breaks, in words such as "at most 3"; empty if the number breaks no
/// limit.
std::string broken_limit(const Field& field, double number) {
  const auto equal = [&](std::int64_t value) { return static_cast<double>(value) == number; };
  if (!field.one_of.empty() && std::none_of(field.one_of.begin(), field.one_of.end(), equal)) {
    Names words;
    for (std::int64_t value : field.one_of) words.push_back(std::to_string(value));
    return "one of " + join(words);
  }
  if (number <= field.above) return "greater than " + shortest(field.above);
  if (number < field.at_least) return "at least " + shortest(field.at_least);
  if (number > field.at_most) return "at most " + shortest(field.at_most);
  return "";
}

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

/// Collects the positions where documents of a YAML stream begin, and the last word that was read. YAML::Load reads
/// only the first document and silently ignores the rest of the text, for example after a line that is indented less
/// than the first line.
class Events : public YAML::EventHandler {
 public:
  std::vector<YAML::Mark> documents;
  YAML::Mark place_of_word;
  std::string word;

  void OnDocumentStart(const YAML::Mark& mark) override { documents.push_back(mark); }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t, const std::string& text) override {
    place_of_word = mark;
    word = text;
  }
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

std::string Origin::at(const YAML::Mark& mark) const {
  if (!has_lines || mark.is_null()) return name;
  return name + ":" + std::to_string(mark.line + 1) + ":" + std::to_string(mark.column + 1);
}

std::string Origin::at(const YAML::Node& value, const YAML::Mark& key) const {
  return at(value.IsNull() ? key : value.Mark());
}

void for_each_entry(const YAML::Node& map, const Origin& origin, const std::string& in, const EntryVisitor& f) {
  std::map<std::string, std::string> seen;
  for (const auto& entry : map) {
    const std::string place = origin.at(entry.first.Mark());
    if (!entry.first.IsScalar()) fail(place, "a key must be a word");
    const std::string& key = entry.first.Scalar();
    const auto [first, is_new] = seen.emplace(key, place);
    if (!is_new) fail(place, "duplicate key " + quoted(key) + in + "; it stands at " + first->second + " already");
    f(entry.first, entry.second);
  }
}

void for_each_section(const std::string& text, const Fields& known, const Origin& origin, const EntryVisitor& f) {
  const YAML::Node root = load_yaml(text, origin);
  if (root.IsNull()) return;
  if (!root.IsMap()) fail(origin.at(root.Mark()), "a configuration is a map of sections: " + join(sections(known)));
  for_each_entry(root, origin, "", f);
}

void check_section(const Fields& fields, const std::string& section, const std::string& place) {
  const Names valid = sections(fields);
  if (contains(valid, section)) return;
  for (const Field& field : fields)
    if (!section.empty() && field.section.formerly == section)
      fail(place, "unknown section " + quoted(section) + "; it is called '" + field.section.name + "' now");
  fail(place, "unknown section " + quoted(section) + advice(fields, section, valid, "the sections are"));
}

void check_key(const Fields& fields, const std::string& section, const std::string& key, const std::string& place) {
  const Names valid = keys_of(fields, section);
  if (contains(valid, key)) return;
  fail(place, "unknown key " + quoted(key) + " in '" + section + "'" + advice(fields, key, valid, "its keys are"));
}

std::string keys_in(const Fields& fields, const std::string& section) {
  return join(keys_of(fields, section));
}

void check_limit(const Field& field, const Member& member, const std::string& place) {
  const std::optional<double> number = member.number();
  const std::string limit = number ? broken_limit(field, *number) : "";
  if (limit.empty()) return;
  fail(place, "'" + field.path() + "' must be " + limit + ", not " + shortest(*number) +
                  (field.why.empty() ? "" : "; " + field.why));
}

YAML::Node load_yaml(const std::string& text, const Origin& origin) {
  if (origin.has_lines) check_not_sextractor(text, origin);
  check_characters(text, origin);
  Events events;
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    // Two documents are enough for the error. Reading on might never end: yaml-cpp reports a stray comma as endless
    // empty documents.
    while (events.documents.size() < 2 && parser.HandleNextDocument(events)) {
    }
    if (events.documents.size() > 1) {
      fail(origin.at(events.documents[1]),
           "a second YAML document begins here, and the file must be one; look for a stray character, '---', '...' "
           "or a line indented less than the first");
    }
    if (text.find_first_of("\"'") != text.npos) {
      // yaml-cpp takes an open quote for closed at the end of a text, but not at the mark of a document's end.
      std::istringstream ended(text + "\n...\n");
      events = Events();
      YAML::Parser(ended).HandleNextDocument(events);
    }
    return YAML::Load(text);
  } catch (const YAML::DeepRecursion& error) {
    fail(origin.at(error.mark), "nested far too deeply; the file is sections of keys");
  } catch (const YAML::Exception& error) {
    if (error.msg == YAML::ErrorMsg::EOF_IN_SCALAR || error.msg == YAML::ErrorMsg::DOC_IN_SCALAR) {
      const std::string after = events.word.empty() ? "" : " that begins after " + srcextract::quoted(events.word);
      fail(origin.at(events.place_of_word), "not valid YAML: a quote" + after + " is not closed");
    }
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

void require_records(const WrittenValue& written, const std::string& name, const Fields& known) {
  const auto& [node, origin, key] = written;
  const auto advice = [&](const YAML::Node& item) {
    const std::string what = item.IsScalar() ? quoted(item.Scalar())
                             : item.IsMap()  ? "a map"
                             : item.IsNull() ? "nothing"
                                             : "a list";
    return what + "; write [{KEY: " + (item.IsScalar() ? item.Scalar() : "value") + "}] with one of its keys, " +
           keys_in(known, name);
  };
  if (node.IsNull() || node.IsSequence())
    require_list(written.value(), name);
  else
    fail(origin.at(node, key), "'" + name + "' must be a list of maps of keys, not " + advice(node));
  for (const YAML::Node& item : node)
    if (!item.IsMap()) fail(origin.at(item.Mark()), "'" + name + "' must hold maps of keys, not " + advice(item));
}

void read_text(const WrittenValue& written, const Field& field, std::string& text) {
  const auto read = field.is_column   ? read_column
                    : field.is_number ? read_number_or_path
                    : field.is_path   ? read_path
                                      : static_cast<decltype(&read_column)>(read_value);
  read(written.value(), field.path(), text);
}

void read_texts(const WrittenValue& written, const Field& field, std::vector<std::string>& texts) {
  if (field.is_path) return read_paths(written.value(), field.path(), texts);
  read_value(written.value(), field.path(), texts);
}

void read_names(const WrittenValue& written, const Field& field, std::map<std::string, std::string>& names) {
  const YAML::Node& node = written.node;
  const Origin& origin = written.origin;
  const std::string name = field.path();
  if (!node.IsMap()) {
    fail(origin.at(node, written.key), "'" + name + "' must be a map of names, as in {X_IMAGE: xcentroid}");
  }
  names.clear();
  for_each_entry(node, origin, " in '" + name + "'", [&](const YAML::Node& from, const YAML::Node& to) {
    const std::string word = read_one_column(to_value(from, origin, from.Mark()), name + ".NAME");
    names[word] = read_one_column(to_value(to, origin, from.Mark()), name + "." + word);
  });
}

Fields AnyDraft::fields() {
  Fields all;
  for_each_key([&](const Field& field, Member&) { all.push_back(field); });
  return all;
}

void set_key(AnyDraft& draft, const std::string& section, const std::string& key, const YAML::Node& node,
             const Origin& origin, const YAML::Mark& mark) {
  draft.for_each_key([&](const Field& field, Member& member) {
    if (field.section.name != section || field.key != key) return;
    member.read({node, origin, mark}, field, draft.set_at);
    draft.set_at[field.path()] = origin.at(node, mark);
  });
}

void read_section(AnyDraft& draft, const Fields& known, const std::string& section, const YAML::Mark& mark,
                  const YAML::Node& node, const Origin& origin) {
  check_section(known, section, origin.at(mark));
  check_section_holds(node, section, keys_in(known, section), mark, origin);
  for_each_entry(node, origin, " in '" + section + "'", [&](const YAML::Node& key, const YAML::Node& value) {
    check_key(known, section, key.Scalar(), origin.at(key.Mark()));
    set_key(draft, section, key.Scalar(), value, origin, key.Mark());
  });
}

void check_limits(AnyDraft& draft, const std::string& name) {
  draft.for_each_key([&](const Field& field, const Member& member) {
    const auto found = draft.set_at.find(field.path());
    if (found != draft.set_at.end() && !field.no_use.empty())
      fail(found->second, "'" + field.path() + "' has no use where " + field.no_use + "; leave it out");
    // For a key that was not set, the message names the place of another key of its section.
    const auto nearest = found != draft.set_at.end() ? found : draft.set_at.lower_bound(field.section.name + ".");
    const bool in_section = nearest != draft.set_at.end() && nearest->first.starts_with(field.section.name + ".");
    const std::string& place = in_section ? nearest->second : name;
    check_limit(field, member, place);
    if (!field.unused.empty()) fail(place, "'" + field.path() + "' " + field.unused);
    if (!field.problem.empty()) fail(place, "'" + field.path() + "' " + field.problem);
  });
}

std::string dump_sections(AnyDraft& draft) {
  std::string yaml, section;
  draft.for_each_key([&](const Field& field, const Member& member) {
    if (field.section.name != section) yaml += field.section.name + ":\n";
    section = field.section.name;
    yaml += "  " + field.key + ": " + member.text() + "\n";
  });
  return yaml;
}

}  // namespace srcextract::config
