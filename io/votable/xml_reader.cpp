#include "io/votable/xml_reader.hpp"

#include <expat.h>

#include <algorithm>
#include <new>

#include "stages/core/error.hpp"

namespace srcextract {
namespace {

// Limits in bytes of one read. A small file gets a small buffer, since the first touch of a large new buffer is slow.
constexpr std::int64_t smallest_piece = 1 << 16;
constexpr std::int64_t largest_piece = 1 << 20;
/// Longest tag or comment in bytes. Expat holds it in memory as a whole, and before version 2.6 scans it again with
/// every piece.
constexpr std::int64_t longest_markup = 1 << 24;
/// Largest depth of nested elements. An open element takes 100 bytes of expat's memory, but as few as 3 bytes of the
/// file.
constexpr int deepest_element = 1000;

std::string_view without_prefix(std::string_view name) {
  return name.substr(name.find(':') + 1);
}

}  // namespace

std::optional<std::string_view> XmlAttributes::find(std::string_view name) const {
  for (const char* const* pair = names_and_values_; *pair != nullptr; pair += 2) {
    if (name == pair[0]) return pair[1];
  }
  return std::nullopt;
}

struct XmlCallbacks {
  template <class F>
  static void guard(void* user, F&& call) {
    auto& reader = *static_cast<XmlReader*>(user);
    if (reader.stopped_ || reader.failure_) return;  // expat may call functions even after it was stopped
    try {
      call(reader);
    } catch (...) {
      reader.failure_ = std::current_exception();
      XML_StopParser(reader.parser_.get(), XML_FALSE);
    }
  }

  static void start(void* user, const char* name, const char** attributes) {
    guard(user, [=](XmlReader& reader) {
      if (++reader.depth_ > deepest_element) reader.fail("the elements are nested too deeply; is this a catalogue?");
      reader.handler_->start_element(without_prefix(name), XmlAttributes(attributes));
    });
  }

  static void end(void* user, const char*) {
    guard(user, [](XmlReader& reader) {
      --reader.depth_;
      reader.handler_->end_element();
    });
  }

  static void characters(void* user, const char* text, int length) {
    guard(user, [=](XmlReader& reader) { reader.handler_->characters({text, static_cast<std::size_t>(length)}); });
  }

  static void doctype(void* user, const char*, const char*, const char*, int has_internal_subset) {
    guard(user, [=](XmlReader& reader) {
      if (has_internal_subset == 0) return;
      reader.fail("the file declares a document type of its own (<!DOCTYPE ... [...]>), which is not read; remove it");
    });
  }

  static void skipped_entity(void* user, const char* name, int) {
    guard(user, [=](XmlReader& reader) {
      reader.fail("the entity &" + std::string(name) + "; is not declared; write the character itself");
    });
  }
};

XmlReader::XmlReader(const std::string& path) : stream_(path), parser_(XML_ParserCreate(nullptr), XML_ParserFree) {
  if (!parser_) throw std::bad_alloc();
  XML_SetUserData(parser_.get(), this);
  XML_SetElementHandler(parser_.get(), XmlCallbacks::start, XmlCallbacks::end);
  XML_SetCharacterDataHandler(parser_.get(), XmlCallbacks::characters);
  XML_SetStartDoctypeDeclHandler(parser_.get(), XmlCallbacks::doctype);
  XML_SetSkippedEntityHandler(parser_.get(), XmlCallbacks::skipped_entity);
}

void XmlReader::read(XmlHandler& handler) {
  handler_ = &handler;
  do {
    const bool going_on = parse_piece();
    if (failure_) std::rethrow_exception(failure_);
    if (!going_on) fail_on_xml();
    if (bytes_ - XML_GetCurrentByteIndex(parser_.get()) > longest_markup) {
      fail("a tag or a comment is longer than " + std::to_string(longest_markup >> 20) + " MiB; is this a catalogue?");
    }
  } while (!stopped_ && !ended_);
}

/// Parses the next piece of the file. Returns false if the XML is invalid.
bool XmlReader::parse_piece() {
  if (stopped_) {
    stopped_ = false;
    return XML_ResumeParser(parser_.get()) != XML_STATUS_ERROR;
  }
  const auto room = static_cast<std::size_t>(std::clamp(stream_.stored_size(), smallest_piece, largest_piece));
  auto* piece = static_cast<char*>(XML_GetBuffer(parser_.get(), static_cast<int>(room)));
  if (piece == nullptr) throw std::bad_alloc();
  const std::size_t size = stream_.read({piece, room});
  bytes_ += static_cast<std::int64_t>(size);
  ended_ = size == 0;
  return XML_ParseBuffer(parser_.get(), static_cast<int>(size), ended_ ? 1 : 0) != XML_STATUS_ERROR;
}

void XmlReader::stop() {
  stopped_ = true;
  XML_StopParser(parser_.get(), XML_TRUE);
}

void XmlReader::fail(const std::string& problem) const {
  throw Error(ErrorKind::input,
              stream_.path() + ":" + std::to_string(XML_GetCurrentLineNumber(parser_.get())) + ": " + problem);
}

void XmlReader::fail_on_xml() const {
  const XML_Error error = XML_GetErrorCode(parser_.get());
  if (error == XML_ERROR_NO_MEMORY) throw std::bad_alloc();
  if (ended_) fail("the file is cut short: its XML does not end; fetch or make it again");
  fail(std::string("the file is not well-formed XML (") + XML_ErrorString(error) + "); fetch or make it again");
}

}  // namespace srcextract
