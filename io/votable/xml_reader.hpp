#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "io/files/byte_stream.hpp"

struct XML_ParserStruct;

namespace srcextract {

/// Attributes of an element; valid only during the call of start_element().
class XmlAttributes {
 public:
  explicit XmlAttributes(const char* const* names_and_values) : names_and_values_(names_and_values) {}

  std::optional<std::string_view> find(std::string_view name) const;

 private:
  const char* const* names_and_values_;  ///< expat's array of names and values, ended by null
};

/// Functions that XmlReader calls while it reads, in file order. Element names have no namespace prefix. Text is UTF-8;
/// one text may be passed in several calls.
class XmlHandler {
 public:
  virtual ~XmlHandler() = default;
  virtual void start_element(std::string_view name, const XmlAttributes& attributes) = 0;
  virtual void end_element() = 0;
  virtual void characters(std::string_view text) = 0;
};

/// Reads an XML file once, piece by piece, gzipped or not, in UTF-8, UTF-16, ISO-8859-1 or ASCII. Throws Error{input}
/// for a file that declares entities, and never opens other files or addresses. Throws Error{input} with path and line
/// if the file is not well-formed or is cut short.
class XmlReader {
 public:
  explicit XmlReader(const std::string& path);

  /// Reads to the end of the file, or until the handler calls stop().
  void read(XmlHandler& handler);

  /// Makes read() return after the start or end of the current element. The next read() continues there. If that
  /// element is empty (<X/>), its end is not reported.
  void stop();

  /// Throws Error{input} with the path, the current line and the problem.
  [[noreturn]] void fail(const std::string& problem) const;

 private:
  friend struct XmlCallbacks;

  bool parse_piece();
  [[noreturn]] void fail_on_xml() const;

  ByteStream stream_;
  std::unique_ptr<XML_ParserStruct, void (*)(XML_ParserStruct*)> parser_;
  XmlHandler* handler_ = nullptr;
  std::exception_ptr failure_;  ///< exception thrown by the handler; expat is C and cannot pass it on
  std::int64_t bytes_ = 0;      ///< number of bytes given to expat
  int depth_ = 0;               ///< number of open elements
  bool stopped_ = false;
  bool ended_ = false;  ///< true if expat has got the whole file
};

}  // namespace srcextract
