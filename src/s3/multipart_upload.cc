#include "s3/multipart_upload.h"

#include <pthread.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "s3/checksum.h"
#include "s3/s3_error.h"
#include "s3/xml.h"

namespace landfall::s3 {
namespace {

// A stop ends a call within a second, and taking the parts back is a part of that.
constexpr auto kAbortWhenStopped = std::chrono::milliseconds(500);
constexpr auto kAbortAfterFailure = std::chrono::seconds(20);

}  // namespace

MultipartUpload::MultipartUpload(Client& client, std::string key, const extension::PutOptions& options)
    : client_(client), key_(std::move(key)), options_(options) {}

Status MultipartUpload::run(std::string first, PartReader& rest, const std::stop_token& stop) {
  TRY("", begin(stop));
  Status done = send_parts(std::move(first), rest, stop);
  if (done) {
    done = finish(stop);
  }
  if (!done) {
    abort(stop.stop_requested());
  }
  return done;
}

Status MultipartUpload::begin(const std::stop_token& stop) {
  S3Request request{.method = "POST", .key = key_, .query = {{"uploads", ""}}};
  client_.add_object_headers(request.headers);
  mark_.add_to(request.headers);
  if (client_.config().checksum != ChecksumAlgorithm::kNone) {
    request.headers.set("x-amz-checksum-algorithm", std::string(name_of(client_.config().checksum)));
  }
  TRY_ASSIGN(const S3Answer answer, "begin upload", client_.send(request, stop));
  TRY_ASSIGN(upload_id_, "begin upload", parse_upload_id(answer.body));
  return {};
}

// The workers end when all is sent, when one of them fails and when the caller is stopped.
Status MultipartUpload::send_parts(std::string first, PartReader& rest, const std::stop_token& stop) {
  std::stop_source failed;
  const std::stop_callback on_stop(stop, [&failed] { failed.request_stop(); });
  Status fed;
  {
    std::vector<std::jthread> workers;
    for (std::size_t i = 0; i < std::max<std::size_t>(client_.tuning().parts_in_flight, 1); ++i) {
      workers.emplace_back([this, &failed] { work(failed); });
      pthread_setname_np(workers.back().native_handle(), "s3-upload");
    }
    fed = feed(std::move(first), rest, failed.get_token());
    if (!fed) {
      failed.request_stop();
    }
    state_.update([](State& state) { state.is_complete = true; });
  }
  if (stop.stop_requested()) {
    return fail(Code::kCancelled, "stopped");
  }
  // Whichever failed first has stopped the other.
  const auto failure = state_.with([](const State& state) { return state.failure; });
  const bool source_failed = !fed && fed.error().code() != Code::kCancelled;
  if (failure && !source_failed) {
    return tl::unexpected(*failure);
  }
  return fed;
}

Status MultipartUpload::feed(std::string first, PartReader& rest, const std::stop_token& stop) {
  push(std::move(first));
  while (!rest.at_end()) {
    TRY("", wait_for_room(rest.next_size(), stop));
    TRY_ASSIGN(std::string bytes, "", rest.next(stop));
    if (!bytes.empty()) {
      push(std::move(bytes));
    }
  }
  return {};
}

Status MultipartUpload::wait_for_room(std::size_t next_size, const std::stop_token& stop) {
  if (last_number_ >= PartPlan::kMaxParts) {
    return fail(Code::kTooLarge, "the object does not fit into the 10,000 parts that S3 allows");
  }
  const S3Tuning& tuning = client_.tuning();
  const std::size_t by_memory = std::max<std::size_t>(tuning.memory_per_put / std::max<std::size_t>(next_size, 1), 1);
  const std::size_t most = std::min(std::max<std::size_t>(tuning.parts_in_flight, 1), by_memory);
  const bool has_room = state_.wait_until(client_.clock(), stop, kNever,
                                          [&](const State& state) { return state.held < most || state.failure; });
  return has_room && !stop.stop_requested() ? Status() : fail(Code::kCancelled, "stopped");
}

void MultipartUpload::push(std::string bytes) {
  ++last_number_;
  state_.update([&](State& state) {
    state.waiting.push_back({.number = last_number_, .bytes = std::move(bytes)});
    ++state.held;
  });
}

void MultipartUpload::work(std::stop_source& failed) {
  const std::stop_token stop = failed.get_token();
  while (!stop.stop_requested()) {
    std::optional<Part> part;
    state_.wait_then(
        client_.clock(), stop, kNever, [](const State& state) { return !state.waiting.empty() || state.is_complete; },
        [&](State& state) {
          if (!state.waiting.empty()) {
            part = std::move(state.waiting.front());
            state.waiting.pop_front();
          }
        });
    if (!part) {
      return;
    }
    auto sent = send(*part, stop);
    part.reset();
    const bool has_failed = !sent;
    state_.update([&](State& state) {
      --state.held;
      if (sent) {
        state.sent.push_back(*std::move(sent));
      } else if (!state.failure) {
        state.failure = std::move(sent).error();
      }
    });
    if (has_failed) {
      failed.request_stop();
    }
  }
}

Result<MultipartUpload::SentPart> MultipartUpload::send(const Part& part, const std::stop_token& stop) const {
  S3Request request{.method = "PUT",
                    .key = key_,
                    .query = {{"partNumber", std::to_string(part.number)}, {"uploadId", upload_id_}},
                    .body = part.bytes};
  client_.add_customer_key(request.headers);
  SentPart sent{.number = part.number, .etag = "", .checksum = ""};
  if (const ChecksumAlgorithm algorithm = client_.config().checksum; algorithm != ChecksumAlgorithm::kNone) {
    sent.checksum = checksum(algorithm, part.bytes);
    request.headers.set(std::string(header_of(algorithm)), sent.checksum);
  }
  const std::string place = "part " + std::to_string(part.number);
  TRY_ASSIGN(const S3Answer answer, place, client_.send(request, stop));
  sent.etag = answer.head.headers.get("ETag").value_or("");
  if (sent.etag.empty()) {
    return fail(Code::kDataLoss, place + ": the server did not answer with an ETag");
  }
  return sent;
}

std::string MultipartUpload::manifest() const {
  auto sent = state_.with([](const State& state) { return state.sent; });
  std::ranges::sort(sent, {}, &SentPart::number);
  const std::string element(element_of(client_.config().checksum));
  std::string xml = "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">";
  for (const SentPart& part : sent) {
    xml += "<Part>";
    if (!part.checksum.empty()) {
      xml += "<" + element + ">" + part.checksum + "</" + element + ">";
    }
    xml +=
        "<ETag>" + xml_escape(part.etag) + "</ETag><PartNumber>" + std::to_string(part.number) + "</PartNumber></Part>";
  }
  return xml + "</CompleteMultipartUpload>";
}

Status MultipartUpload::finish(const std::stop_token& stop) {
  const std::string body = manifest();
  S3Request request{.method = "POST",
                    .key = key_,
                    .query = {{"uploadId", upload_id_}},
                    .headers = {{"Content-Type", "application/xml"}},
                    .body = body,
                    .error_in_body = true,
                    .is_slow = true};
  client_.add_customer_key(request.headers);
  if (options_.if_absent) {
    request.headers.set("If-None-Match", "*");
  }
  const auto answer = client_.send(request, stop);
  if (answer) {
    return {};
  }
  return settle(client_, key_, mark_, fail("complete upload", answer.error()), stop);
}

void MultipartUpload::abort(bool is_stopped) {
  const SteadyTime deadline =
      client_.clock().after(is_stopped ? Duration(kAbortWhenStopped) : Duration(kAbortAfterFailure));
  const Status aborted = abort_upload(client_, key_, upload_id_, deadline, {});
  if (!aborted) {
    client_.logger().warning("parts of a failed upload stay in the bucket until they are swept",
                             {{"bucket", client_.config().bucket}, {"key", key_}, LogField(aborted.error())});
  }
}

Status abort_upload(Client& client, const std::string& key, const std::string& upload_id, SteadyTime deadline,
                    const std::stop_token& stop) {
  const auto answer =
      client.send({.method = "DELETE", .key = key, .query = {{"uploadId", upload_id}}, .deadline = deadline}, stop);
  if (!answer && answer.error().code() != Code::kNotFound) {
    return fail("abort upload", answer.error());
  }
  return {};
}

}  // namespace landfall::s3
