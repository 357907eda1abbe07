#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pugi {
struct xml_node_struct;  // NOLINT(readability-identifier-naming): pugixml's name
}

namespace landfall::s3 {

// An XML answer, read only. Servers are not trusted: nothing outside the text is looked up, entities beyond XML's own
// five are left as they are, and memory is bound by the size of the text, which the caller bounds.
class XmlElement {
 public:
  XmlElement() = default;
  explicit XmlElement(pugi::xml_node_struct* node) : node_(node) {}

  // Without the prefix of a namespace.
  std::string_view name() const;
  // The text of the element itself; "" when there is none.
  std::string text() const;
  // The first child of that name, or an element without a name or text.
  XmlElement child(std::string_view name) const;
  std::string text_of(std::string_view name) const { return child(name).text(); }
  std::vector<XmlElement> children(std::string_view name) const;

 private:
  pugi::xml_node_struct* node_ = nullptr;  // lives in the document
};

// Owns the document; elements are valid as long as it lives.
class XmlDocument {
 public:
  // kDataLoss with the offset when it is no XML, never showing the text.
  static Result<XmlDocument> parse(std::string_view text);
  XmlDocument(XmlDocument&&) noexcept;
  XmlDocument& operator=(XmlDocument&&) noexcept;
  XmlDocument(const XmlDocument&) = delete;
  XmlDocument& operator=(const XmlDocument&) = delete;
  ~XmlDocument();

  XmlElement root() const;

 private:
  struct Impl;
  explicit XmlDocument(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Text for an XML document that we write.
std::string xml_escape(std::string_view text);

}  // namespace landfall::s3
