#include "http/router.h"

#include <gtest/gtest.h>

#include "http/recording_responder.h"

namespace landfall::http {
namespace {

// Answers with its name and the parameters it got.
Route route(std::string method, std::string pattern) {
  Handler handler = [method, pattern](const Request& request, const std::shared_ptr<Responder>& responder) {
    std::string body = method + " " + pattern;
    for (const auto& [name, value] : request.parameters) body += " " + name + "=" + value;
    responder->send(text(200, body));
  };
  return {.method = std::move(method), .pattern = std::move(pattern), .handler = std::move(handler)};
}

RecordingResponder::Answer ask(const Router& router, std::string method, std::string path) {
  const auto responder = std::make_shared<RecordingResponder>();
  Request request;
  request.method = std::move(method);
  request.path = std::move(path);
  router(std::move(request), responder);
  return responder->answer();
}

Router make(std::vector<Route> routes) { return *Router::make(std::move(routes)); }

TEST(Router, ReadsParametersFromThePath) {
  const Router router = make({route("GET", "/backups/{name}/logs/{line}")});
  const auto answer = ask(router, "GET", "/backups/nightly 1/logs/7");
  EXPECT_EQ(answer.body, "GET /backups/{name}/logs/{line} name=nightly 1 line=7");
  EXPECT_EQ(answer.route, "/backups/{name}/logs/{line}");
}

TEST(Router, PrefersTheMoreSpecificPattern) {
  const Router router = make({route("GET", "/{rest...}"), route("GET", "/a/{x}"), route("GET", "/a/b"),
                              route("GET", "/a/{x}/c"), route("GET", "/a/{rest...}")});
  EXPECT_EQ(ask(router, "GET", "/a/b").route, "/a/b");
  EXPECT_EQ(ask(router, "GET", "/a/z").route, "/a/{x}");
  EXPECT_EQ(ask(router, "GET", "/a/b/c").route, "/a/{x}/c");
  EXPECT_EQ(ask(router, "GET", "/a/b/d").route, "/a/{rest...}");
  EXPECT_EQ(ask(router, "GET", "/b").route, "/{rest...}");
  EXPECT_EQ(ask(router, "GET", "/").route, "/{rest...}");
}

TEST(Router, GoesBackWhenTheSpecificPatternEndsNowhere) {
  const Router router = make({route("GET", "/a/b/c/d"), route("GET", "/a/{x}/{y}/e"), route("GET", "/{p}/b/c/f")});
  EXPECT_EQ(ask(router, "GET", "/a/b/c/e").body, "GET /a/{x}/{y}/e x=b y=c");
  EXPECT_EQ(ask(router, "GET", "/a/b/c/f").body, "GET /{p}/b/c/f p=a");
  EXPECT_EQ(ask(router, "GET", "/a/b/c/g").status, 404);
}

TEST(Router, GivesTheWildcardTheRestAlsoWhenItIsEmpty) {
  const Router router = make({route("GET", "/files/{path...}")});
  EXPECT_EQ(ask(router, "GET", "/files/a/b.txt").body, "GET /files/{path...} path=a/b.txt");
  EXPECT_EQ(ask(router, "GET", "/files").body, "GET /files/{path...} path=");
  EXPECT_EQ(ask(router, "GET", "/files/").body, "GET /files/{path...} path=");
  EXPECT_EQ(ask(router, "GET", "/filesystem").status, 404);
}

TEST(Router, IgnoresATrailingSlash) {
  const Router router = make({route("GET", "/apis"), route("GET", "/"), route("GET", "/x/")});
  EXPECT_EQ(ask(router, "GET", "/apis/").route, "/apis");
  EXPECT_EQ(ask(router, "GET", "/x").route, "/x/");
  EXPECT_EQ(ask(router, "GET", "/").route, "/");
}

TEST(Router, AnswersAWrongMethodWithTheRightOnes) {
  const Router router = make({route("GET", "/a/{x}"), route("DELETE", "/a/b"), route("PUT", "/a/{rest...}")});
  const auto answer = ask(router, "POST", "/a/b");
  EXPECT_EQ(answer.status, 405);
  EXPECT_EQ(answer.headers.get("Allow"), "DELETE, GET, HEAD, PUT");
}

TEST(Router, LetsALessSpecificPatternTakeTheMethod) {
  const Router router = make({route("GET", "/a/b"), route("POST", "/a/{x}")});
  EXPECT_EQ(ask(router, "POST", "/a/b").body, "POST /a/{x} x=b");
}

TEST(Router, AnswersHeadWithGet) {
  const Router router = make({route("GET", "/a"), route("GET", "/b"), route("HEAD", "/b")});
  EXPECT_EQ(ask(router, "HEAD", "/a").body, "GET /a");
  EXPECT_EQ(ask(router, "HEAD", "/b").body, "HEAD /b");
}

TEST(Router, FindsNothingForTheAsterisk) {
  const Router router = make({route("OPTIONS", "/{rest...}")});
  EXPECT_EQ(ask(router, "OPTIONS", "*").status, 404);
}

TEST(Router, RefusesPatternsThatCannotBeRead) {
  for (const std::string pattern : {"a", "", "//", "/a//b", "/{}", "/{...}", "/{a", "/a{b}", "/{a}x", "/{a...}/b",
                                    "/{a}/{a}", "/{a}/{a...}", "/{{a}}"}) {
    const Result<Router> router = Router::make({route("GET", pattern)});
    ASSERT_FALSE(router) << pattern;
    EXPECT_EQ(router.error().code(), Code::kInvalid);
    EXPECT_NE(router.error().message().find("route GET " + pattern), std::string::npos);
  }
  EXPECT_FALSE(Router::make({route("G T", "/a")}));
}

TEST(Router, RefusesTwoRoutesForTheSameRequests) {
  const Result<Router> router = Router::make({route("GET", "/a/{x}"), route("GET", "/a/{y}")});
  ASSERT_FALSE(router);
  EXPECT_EQ(router.error().code(), Code::kAlreadyExists);
  EXPECT_TRUE(Router::make({route("GET", "/a/{x}"), route("PUT", "/a/{y}"), route("GET", "/a/{x...}")}));
}

TEST(Router, KnowsTheBodyLimitOfARoute) {
  Route upload = route("PUT", "/upload/{name}");
  upload.body_bytes = 1000;
  const Router router = make({upload, route("GET", "/a")});
  Request head;
  head.method = "PUT";
  head.path = "/upload/x";
  EXPECT_EQ(router.body_bytes(head, 7), 1000U);
  head.path = "/elsewhere";
  EXPECT_EQ(router.body_bytes(head, 7), 7U);
}

// Each level doubles the ways to walk, but not the nodes to look at.
TEST(Router, LooksAtADeepTableInLinearTime) {
  std::string literal;
  std::string path;
  std::vector<Route> routes;
  for (int depth = 0; depth < 40; ++depth) {
    std::string pattern = literal;
    for (int i = depth; i < 40; ++i) pattern += "/{p" + std::to_string(i) + "}";
    routes.push_back(route("GET", pattern + "/end"));
    literal += "/a";
    path += "/a";
  }
  const Router router = make(std::move(routes));
  EXPECT_EQ(ask(router, "GET", path + "/none").status, 404);
  EXPECT_EQ(ask(router, "GET", path + "/end").status, 200);
}

}  // namespace
}  // namespace landfall::http
