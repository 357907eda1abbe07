#include "s3/listing.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "s3/multipart_upload.h"

namespace landfall::s3 {
namespace {

Status check_inside(std::string_view key, std::string_view prefix) {
  if (!key.starts_with(prefix)) {
    return fail(Code::kDataLoss, "the server listed " + quote(key) + ", which is not below " + quote(prefix));
  }
  return {};
}

// Keys come in the order of their bytes, each once, over all pages: a listing that goes round in circles is found out.
class Order {
 public:
  Status take(std::string_view key) {
    if (key <= last_ && has_last_) {
      return fail(Code::kDataLoss, "the server listed " + quote(key) + " after " + quote(last_));
    }
    last_ = key;
    has_last_ = true;
    return {};
  }

 private:
  std::string last_;
  bool has_last_ = false;
};

struct Orders {
  Order objects;
  Order folders;
};

Status check_page(const ListPage& page, std::string_view prefix, Orders& orders) {
  for (const extension::ObjectInfo& object : page.objects) {
    TRY("", check_inside(object.key, prefix));
    TRY("", orders.objects.take(object.key));
  }
  for (const std::string& folder : page.folders) {
    TRY("", check_inside(folder, prefix));
    TRY("", orders.folders.take(folder));
  }
  return {};
}

std::string place(const Client& client, std::string_view prefix) {
  return "list bucket " + quote(client.config().bucket) + ", prefix " + quote(prefix);
}

// An upload that goes on while it is listed is left alone by the age.
Result<std::size_t> abort_those(Client& client, const UploadsPage& page, std::string_view prefix, WallTime before,
                                const std::stop_token& stop) {
  std::size_t count = 0;
  for (const PendingUpload& upload : page.uploads) {
    TRY("", check_inside(upload.key, prefix));
    if (upload.initiated < before) {
      TRY("", abort_upload(client, upload.key, upload.upload_id, kNever, stop));
      ++count;
    }
  }
  return count;
}

}  // namespace

Status list_pages(Client& client, std::string_view prefix, std::string_view delimiter,
                  const std::function<Status(const ListPage&)>& visit, const std::stop_token& stop) {
  std::string token;
  Orders orders;
  do {
    S3Request request{.query = {{"list-type", "2"},
                                {"encoding-type", "url"},
                                {"max-keys", std::to_string(client.tuning().list_page)},
                                {"prefix", std::string(prefix)}}};
    if (!delimiter.empty()) {
      request.query.emplace_back("delimiter", delimiter);
    }
    if (!token.empty()) {
      request.query.emplace_back("continuation-token", token);
    }
    TRY_ASSIGN(const S3Answer answer, "list", client.send(request, stop));
    TRY_ASSIGN(const ListPage page, place(client, prefix), parse_list(answer.body));
    TRY(place(client, prefix), check_page(page, prefix, orders));
    TRY("", visit(page));
    if (!page.next.empty() && page.next == token) {
      return fail(Code::kDataLoss, place(client, prefix) + ": the server gives the same page again and again");
    }
    token = page.next;
  } while (!token.empty());
  return {};
}

Result<std::size_t> abort_old_uploads(Client& client, std::string_view prefix, WallTime before,
                                      const std::stop_token& stop) {
  std::size_t count = 0;
  UploadsPage page;
  do {
    S3Request request{.query = {{"uploads", ""}, {"encoding-type", "url"}, {"prefix", std::string(prefix)}}};
    if (page.is_truncated) {
      request.query.emplace_back("key-marker", page.next_key);
      request.query.emplace_back("upload-id-marker", page.next_upload_id);
    }
    TRY_ASSIGN(const S3Answer answer, "list uploads", client.send(request, stop));
    TRY_ASSIGN(UploadsPage next, place(client, prefix), parse_uploads(answer.body));
    TRY_ASSIGN(const std::size_t aborted, place(client, prefix), abort_those(client, next, prefix, before, stop));
    count += aborted;
    const bool is_same =
        page.is_truncated && page.next_key == next.next_key && page.next_upload_id == next.next_upload_id;
    if (next.is_truncated && (is_same || next.next_key.empty())) {
      return fail(Code::kDataLoss, place(client, prefix) + ": the listing of uploads does not come to an end");
    }
    page = std::move(next);
  } while (page.is_truncated);
  return count;
}

}  // namespace landfall::s3
