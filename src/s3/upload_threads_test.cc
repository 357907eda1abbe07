#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <thread>

#include "base/manual_clock.h"
#include "base/strings.h"
#include "s3/credentials.h"
#include "s3/part_reader.h"
#include "s3/test_support.h"
#include "testkit/gate.h"

namespace landfall::s3 {
namespace {

using extension::BytesSource;
using extension::StreamSource;
using testing::HasSubstr;
using testkit::Gate;
using testkit::reply;
using testkit::ScriptedConnection;
using testkit::ScriptedRequest;
using testkit::ScriptedServer;

const std::string kBegun =
    reply(200, "<InitiateMultipartUploadResult><UploadId>u&amp;1</UploadId></InitiateMultipartUploadResult>");
const std::string kDone = reply(200, "<CompleteMultipartUploadResult><ETag>x</ETag></CompleteMultipartUploadResult>");

enum class Step { kBegin, kPart, kComplete, kAbort, kOther };

Step step_of(const ScriptedRequest& request) {
  if (request.method == "POST") {
    return contains(request.target, "?uploads") ? Step::kBegin : Step::kComplete;
  }
  if (request.method == "PUT" && contains(request.target, "partNumber=")) {
    return Step::kPart;
  }
  return request.method == "DELETE" ? Step::kAbort : Step::kOther;
}

std::string number_of(const ScriptedRequest& request) {
  const std::string_view tail = std::string_view(request.target).substr(request.target.find("partNumber=") + 11);
  return std::string(tail.substr(0, tail.find('&')));
}

// What a server that works answers; a test puts its fault before it. An empty answer is for the script to deal with.
std::string usual_answer(const ScriptedRequest& request) {
  switch (step_of(request)) {
    case Step::kBegin:
      return kBegun;
    case Step::kPart:
      return reply(200, "", {{"ETag", "\"e" + number_of(request) + "\""}});
    case Step::kComplete:
      return kDone;
    case Step::kAbort:
      return reply(204);
    case Step::kOther:
      return request.method == "PUT" ? reply(200) : s3_error(404, "NoSuchKey");
  }
  return "";
}

ScriptedServer::Script with_fault(std::function<std::optional<std::string>(const ScriptedRequest&)> fault) {
  return ScriptedServer::answering([fault = std::move(fault)](const ScriptedRequest& request) {
    return fault(request).value_or(usual_answer(request));
  });
}

int count(const ScriptedServer& server, Step step) {
  return static_cast<int>(std::ranges::count(server.requests(), step, step_of));
}

// The parts by number, the last word of each.
std::string object_of(const ScriptedServer& server) {
  std::map<int, std::string> parts;
  for (const ScriptedRequest& request : server.requests()) {
    if (step_of(request) == Step::kPart) {
      parts[std::stoi(number_of(request))] = request.body;
    }
  }
  std::string all;
  for (const auto& [number, bytes] : parts) {
    all += bytes;
  }
  return all;
}

std::string text_of(std::size_t size) {
  std::string text(size, ' ');
  for (std::size_t i = 0; i < size; ++i) {
    text[i] = static_cast<char>('a' + i / 64 % 26);
  }
  return text;
}

TEST(Upload, SendsALargeObjectInParts) {
  ScriptedServer server(with_fault([](const ScriptedRequest&) { return std::nullopt; }));
  const auto store = open_at(server.url(), {{"serverSideEncryption", "AES256"}});
  const std::string text = text_of(300);
  ASSERT_TRUE(store->put("k", BytesSource(text), {}, {}));
  EXPECT_EQ(object_of(server), text);
  const ScriptedRequest begin = server.requests().front();
  EXPECT_EQ(begin.header("x-amz-server-side-encryption"), "AES256");
  EXPECT_EQ(begin.header("x-amz-checksum-algorithm"), "CRC32");
  const ScriptedRequest complete = server.requests().back();
  EXPECT_EQ(complete.target, "/bkt/k?uploadId=u%261");
  EXPECT_THAT(complete.body,
              HasSubstr("<Part><ChecksumCRC32>" + checksum(ChecksumAlgorithm::kCrc32, text.substr(0, 64)) +
                        "</ChecksumCRC32><ETag>&quot;e1&quot;</ETag><PartNumber>1</PartNumber></Part>"
                        "<Part>"));
  EXPECT_EQ(count(server, Step::kPart), 5);
  EXPECT_EQ(count(server, Step::kAbort), 0);
}

TEST(Upload, TakesAStreamOfUnknownLength) {
  ScriptedServer server(with_fault([](const ScriptedRequest&) { return std::nullopt; }));
  for (const std::size_t size : {0UL, 63UL, 64UL, 65UL, 256UL}) {
    const std::string text = text_of(size);
    io::StringReader reader(text);
    const StreamSource source(reader);
    const auto put = open_at(server.url())->put("k", source, {}, {});
    EXPECT_TRUE(put) << size << ": " << put.error().message();
  }
}

TEST(Upload, SendsAPartAgainWhoseConnectionWasCut) {
  std::atomic<bool> was_cut = false;
  ScriptedServer server([&](ScriptedConnection& c) {
    while (auto request = c.read_head()) {
      if (step_of(*request) == Step::kPart && number_of(*request) == "2" && !was_cut.exchange(true)) {
        c.read_bytes(20);
        c.reset();
        return;
      }
      if (!c.read_body(*request) || !c.send(usual_answer(*request))) {
        return;
      }
    }
  });
  const std::string text = text_of(300);
  const auto put = open_at(server.url())->put("k", BytesSource(text), {}, {});
  ASSERT_TRUE(put) << put.error().message();
  EXPECT_EQ(object_of(server), text);
  EXPECT_EQ(count(server, Step::kPart), 6);
}

TEST(Upload, TakesBackThePartsOfAnUploadThatFailed) {
  ScriptedServer server(with_fault([](const ScriptedRequest& request) -> std::optional<std::string> {
    if (step_of(request) == Step::kPart && number_of(request) == "3") {
      return s3_error(403, "AccessDenied");
    }
    return std::nullopt;
  }));
  const std::string text = text_of(1000);
  const auto put = open_at(server.url())->put("k", BytesSource(text), {}, {});
  EXPECT_EQ(put.error().code(), Code::kForbidden);
  EXPECT_THAT(put.error().message(), HasSubstr("part 3"));
  expect_no_secret(put.error().message());
  EXPECT_EQ(count(server, Step::kComplete), 0);
  EXPECT_EQ(count(server, Step::kAbort), 1);
  // The server may read a part that was given up on only after it.
  const auto requests = server.requests();
  const auto abort =
      std::ranges::find_if(requests, [](const ScriptedRequest& one) { return step_of(one) == Step::kAbort; });
  ASSERT_NE(abort, requests.end());
  EXPECT_EQ(abort->target, "/bkt/k?uploadId=u%261");
}

TEST(Upload, EndsSoonAfterAStopAndTakesThePartsBack) {
  Gate part_has_come;
  ScriptedServer server([&](ScriptedConnection& c) {
    while (auto request = c.read_request()) {
      if (step_of(*request) == Step::kPart) {
        part_has_come.open();
        c.hold();
        return;
      }
      c.send(usual_answer(*request));
    }
  });
  std::stop_source stop;
  std::jthread stopper([&] {
    part_has_come.await();
    stop.request_stop();
  });
  const auto before = system_clock().now();
  const std::string text = text_of(1000);
  const auto put = open_at(server.url())->put("k", BytesSource(text), {}, stop.get_token());
  EXPECT_EQ(put.error().code(), Code::kCancelled);
  EXPECT_EQ(count(server, Step::kAbort), 1);
  EXPECT_LT(system_clock().now() - before, std::chrono::seconds(15));
}

TEST(Upload, HoldsNoMorePartsThanItMay) {
  Gate go_on;
  std::atomic<std::size_t> read = 0;
  class CountingReader final : public io::Reader {
   public:
    CountingReader(std::size_t size, std::atomic<std::size_t>& read) : left_(size), read_(read) {}
    Result<std::size_t> read(std::span<char> buffer) override {
      const std::size_t now = std::min(left_, buffer.size());
      std::fill_n(buffer.begin(), now, 'x');
      left_ -= now;
      read_ += now;
      return now;
    }

   private:
    std::size_t left_;
    std::atomic<std::size_t>& read_;
  };
  ScriptedServer server([&](ScriptedConnection& c) {
    while (auto request = c.read_request()) {
      if (step_of(*request) == Step::kPart && !c.wait(go_on)) {
        return;
      }
      c.send(usual_answer(*request));
    }
  });
  CountingReader reader(640, read);
  const StreamSource source(reader);
  const auto store = open_at(server.url());
  std::jthread putter([&] { EXPECT_TRUE(store->put("k", source, {}, {})); });
  EXPECT_TRUE(server.await_requests(1 + 3)) << "three parts at a time";
  EXPECT_LE(read, 3 * 64);
  go_on.open();
  putter.join();
  EXPECT_EQ(read, 640);
}

TEST(Upload, TriesAgainWhenTheLastStepFailsBehindItsStatus) {
  std::atomic<int> completes = 0;
  ScriptedServer server(with_fault([&](const ScriptedRequest& request) -> std::optional<std::string> {
    if (step_of(request) == Step::kComplete && ++completes == 1) {
      return reply(200, "<?xml version=\"1.0\"?>\n   \n<Error><Code>InternalError</Code><Message>m</Message></Error>");
    }
    return std::nullopt;
  }));
  const std::string text = text_of(100);
  const auto put = open_at(server.url())->put("k", BytesSource(text), {}, {});
  EXPECT_TRUE(put) << put.error().message();
  EXPECT_EQ(completes, 2);
}

TEST(Upload, FindsItsObjectWhenTheAnswerToTheLastStepWasLost) {
  for (const bool is_ours : {true, false}) {
    std::string mark;
    std::atomic<int> completes = 0;
    ScriptedServer server(with_fault([&](const ScriptedRequest& request) -> std::optional<std::string> {
      if (step_of(request) == Step::kBegin) {
        mark = request.header("x-amz-meta-landfall-upload");
      }
      if (step_of(request) == Step::kComplete) {
        return ++completes == 1 ? s3_error(500, "InternalError") : s3_error(404, "NoSuchUpload");
      }
      if (request.method == "HEAD") {
        return reply(200, "", {{"x-amz-meta-landfall-upload", is_ours ? mark : "another"}});
      }
      return std::nullopt;
    }));
    const std::string text = text_of(100);
    EXPECT_EQ(open_at(server.url())->put("k", BytesSource(text), {}, {}).has_value(), is_ours);
  }
}

TEST(Upload, RefusesASourceThatIsNotAsLongAsItSays) {
  class Liar final : public extension::ObjectSource {
   public:
    explicit Liar(std::uint64_t size) : size_(size) {}
    Result<std::unique_ptr<io::Reader>> open() const override { return std::make_unique<io::StringReader>(text_); }
    std::optional<std::uint64_t> size() const override { return size_; }

   private:
    std::string text_ = text_of(100);
    std::uint64_t size_;
  };
  ScriptedServer server(with_fault([](const ScriptedRequest&) { return std::nullopt; }));
  for (const std::uint64_t size : {10UL, 64UL, 99UL, 101UL, 1000UL}) {
    const auto put = open_at(server.url())->put("k", Liar(size), {}, {});
    ASSERT_FALSE(put) << size;
    EXPECT_EQ(put.error().code(), Code::kDataLoss);
  }
  EXPECT_EQ(count(server, Step::kComplete), 0);
  EXPECT_EQ(count(server, Step::kAbort), count(server, Step::kBegin));
}

TEST(PartPlan, MakesDoWithTenThousandParts) {
  constexpr std::uint64_t kTiB = 1UL << 40U;
  constexpr std::size_t kPart = 8UL << 20U;
  const PartPlan known(kPart, 5 * kTiB);
  EXPECT_GE(known.size_of(1) * PartPlan::kMaxParts, 5 * kTiB);
  EXPECT_EQ(PartPlan(kPart, kPart * 10).size_of(10), kPart);
  const PartPlan unknown(kPart, std::nullopt);
  std::uint64_t total = 0;
  for (int number = 1; number <= PartPlan::kMaxParts; ++number) {
    total += unknown.size_of(number);
    EXPECT_LE(unknown.size_of(number), 5UL << 30U);
  }
  EXPECT_GE(total, 5 * kTiB);
}

TEST(Client, WaitsAsLongAsTheServerAsksFor) {
  ManualClock clock;
  ScriptedServer server(in_turn({s3_error(503, "SlowDown", "m", {{"Retry-After", "20"}}), reply(200)}));
  const auto store = open_at(server.url(), {}, quick_options(), planted_environment(), clock);
  std::jthread putter([&] { EXPECT_TRUE(store->put("k", BytesSource("x"), {}, {})); });
  clock.await_waiters(1);
  clock.advance(std::chrono::seconds(19));
  EXPECT_EQ(server.requests().size(), 1);
  clock.await_waiters(1);
  clock.advance(std::chrono::seconds(2));
  putter.join();
  EXPECT_EQ(server.requests().size(), 2);
}

TEST(RenewedCredentials, AreFetchedOnceForAllThreads) {
  Gate go_on;
  std::atomic<int> fetches = 0;
  RenewedCredentials source(
      [&](const std::stop_token&) -> Result<Credentials> {
        ++fetches;
        go_on.await();
        return Credentials{.access_key_id = "A", .secret_access_key = "s"};
      },
      system_clock());
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] { EXPECT_EQ(source.get({})->access_key_id, "A"); });
    }
    go_on.open();
  }
  EXPECT_EQ(fetches, 1);
}

}  // namespace
}  // namespace landfall::s3
