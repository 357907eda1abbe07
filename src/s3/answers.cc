#include "s3/answers.h"

#include <algorithm>
#include <utility>

#include "base/rfc3339.h"
#include "base/strings.h"
#include "io/url.h"
#include "s3/xml.h"

namespace landfall::s3 {
namespace {

Result<XmlDocument> parse_as(std::string_view xml, std::string_view root) {
  TRY_ASSIGN(XmlDocument document, "answer", XmlDocument::parse(xml));
  if (document.root().name() != root) {
    return fail(Code::kDataLoss, "answer: expected the element " + quote(root) + ", got " +
                                     quote(document.root().name().substr(0, 64)) +
                                     "; is the address that of an S3 server?");
  }
  return document;
}

// Servers that know encoding-type=url say so; in it a blank may be a plus, as in forms.
Result<std::string> decode_key(std::string text, bool is_encoded) {
  if (!is_encoded) {
    return text;
  }
  std::ranges::replace(text, '+', ' ');
  return io::percent_decode(text);
}

Result<std::vector<extension::ObjectInfo>> objects_of(const XmlElement& root, bool is_encoded) {
  std::vector<extension::ObjectInfo> objects;
  for (const XmlElement& element : root.children("Contents")) {
    extension::ObjectInfo object;
    TRY_ASSIGN(object.key, "answer: key", decode_key(element.text_of("Key"), is_encoded));
    if (object.key.empty()) {
      return fail(Code::kDataLoss, "answer: an object without a key");
    }
    if (const auto size = parse_uint64(trim(element.text_of("Size")))) {
      object.size = *size;
    }
    objects.push_back(std::move(object));
  }
  return objects;
}

}  // namespace

Result<ListPage> parse_list(std::string_view xml) {
  TRY_ASSIGN(const XmlDocument document, "", parse_as(xml, "ListBucketResult"));
  const XmlElement root = document.root();
  const bool is_encoded = root.text_of("EncodingType") == "url";
  ListPage page;
  TRY_ASSIGN(page.objects, "", objects_of(root, is_encoded));
  for (const XmlElement& element : root.children("CommonPrefixes")) {
    TRY_ASSIGN(std::string folder, "answer: common prefix", decode_key(element.text_of("Prefix"), is_encoded));
    page.folders.push_back(std::move(folder));
  }
  if (trim(root.text_of("IsTruncated")) == "true") {
    page.next = root.text_of("NextContinuationToken");
    if (page.next.empty()) {
      return fail(Code::kDataLoss, "answer: the listing goes on, but there is no continuation token");
    }
  }
  return page;
}

Result<std::string> parse_upload_id(std::string_view xml) {
  TRY_ASSIGN(const XmlDocument document, "", parse_as(xml, "InitiateMultipartUploadResult"));
  std::string id = document.root().text_of("UploadId");
  if (id.empty()) {
    return fail(Code::kDataLoss, "answer: there is no upload id");
  }
  return id;
}

Result<std::vector<KeyError>> parse_delete_result(std::string_view xml) {
  TRY_ASSIGN(const XmlDocument document, "", parse_as(xml, "DeleteResult"));
  std::vector<KeyError> errors;
  for (const XmlElement& element : document.root().children("Error")) {
    errors.push_back(
        {.key = element.text_of("Key"), .code = element.text_of("Code"), .message = element.text_of("Message")});
  }
  return errors;
}

Result<UploadsPage> parse_uploads(std::string_view xml) {
  TRY_ASSIGN(const XmlDocument document, "", parse_as(xml, "ListMultipartUploadsResult"));
  const XmlElement root = document.root();
  const bool is_encoded = root.text_of("EncodingType") == "url";
  UploadsPage page;
  for (const XmlElement& element : root.children("Upload")) {
    PendingUpload upload;
    TRY_ASSIGN(upload.key, "answer: key", decode_key(element.text_of("Key"), is_encoded));
    upload.upload_id = element.text_of("UploadId");
    auto initiated = parse_rfc3339(element.text_of("Initiated"));
    if (!initiated) {
      return fail(Code::kDataLoss, "answer: Initiated: " + initiated.error().message());
    }
    upload.initiated = *initiated;
    page.uploads.push_back(std::move(upload));
  }
  page.is_truncated = trim(root.text_of("IsTruncated")) == "true";
  TRY_ASSIGN(page.next_key, "answer: key marker", decode_key(root.text_of("NextKeyMarker"), is_encoded));
  page.next_upload_id = root.text_of("NextUploadIdMarker");
  return page;
}

Result<Credentials> parse_sts_credentials(std::string_view xml) {
  TRY_ASSIGN(const XmlDocument document, "answer", XmlDocument::parse(xml));
  const std::string name(document.root().name());
  const auto action = strip_suffix(name, "Response");
  const XmlElement element = document.root().child(std::string(action.value_or("")) + "Result").child("Credentials");
  Credentials out{.access_key_id = std::string(trim(element.text_of("AccessKeyId"))),
                  .secret_access_key = std::string(trim(element.text_of("SecretAccessKey"))),
                  .session_token = std::string(trim(element.text_of("SessionToken"))),
                  .expires = std::nullopt};
  if (out.access_key_id.empty() || out.secret_access_key.empty()) {
    return fail(Code::kDataLoss, "answer: there are no credentials in it; is the address that of an STS server?");
  }
  const auto expires = parse_rfc3339(trim(element.text_of("Expiration")));
  if (!expires) {
    return fail(Code::kDataLoss, "answer: Expiration: " + expires.error().message());
  }
  out.expires = *expires;
  return out;
}

std::optional<ErrorBody> parse_error_body(std::string_view xml) {
  const auto document = XmlDocument::parse(trim(xml));
  if (!document) {
    return std::nullopt;
  }
  const XmlElement root = document->root();
  const bool is_sts = root.name() == "ErrorResponse";
  if (!is_sts && root.name() != "Error") {
    return std::nullopt;
  }
  const XmlElement error = is_sts ? root.child("Error") : root;
  return ErrorBody{.code = error.text_of("Code"),
                   .message = error.text_of("Message"),
                   .request_id = root.text_of("RequestId"),
                   .region = error.text_of("Region"),
                   .endpoint = error.text_of("Endpoint"),
                   .server_time = error.text_of("ServerTime")};
}

}  // namespace landfall::s3
