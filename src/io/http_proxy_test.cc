#include "io/http_proxy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace landfall::io {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

HttpProxy from(std::map<std::string, std::string> variables) {
  return HttpProxy::from_environment(Environment(std::move(variables))).value();
}

std::string chosen(const HttpProxy& proxy, const std::string& url) {
  const std::optional<Url> found = proxy.proxy_for(parse_url(url).value());
  return found ? to_string(*found) : "";
}

TEST(HttpProxy, IsChosenByTheScheme) {
  const HttpProxy proxy = from({{"HTTP_PROXY", "http://plain:3128"}, {"HTTPS_PROXY", "http://secure:3129"}});
  EXPECT_EQ(chosen(proxy, "http://example.com/"), "http://plain:3128");
  EXPECT_EQ(chosen(proxy, "https://example.com/"), "http://secure:3129");
  EXPECT_EQ(chosen(from({{"HTTP_PROXY", "http://plain:3128"}}), "https://example.com/"), "");
}

TEST(HttpProxy, PrefersTheVariableInLowerCaseAndNeedsNoScheme) {
  EXPECT_EQ(chosen(from({{"HTTP_PROXY", "one:1"}, {"http_proxy", "two:2"}}), "http://example.com/"), "http://two:2");
  EXPECT_EQ(chosen(from({{"HTTP_PROXY", "one:1"}, {"http_proxy", ""}}), "http://example.com/"), "http://one:1");
}

// What Go's golang.org/x/net/http/httpproxy decides for each list and each of these targets: p is the proxy, - is
// direct.
TEST(HttpProxy, KnowsTheExceptionsThatGoKnows) {
  const std::string targets[] = {
      "http://example.com",      "https://example.com",    "http://example.com:8080", "http://a.example.com",
      "https://a.b.example.com", "http://notexample.com",  "https://10.1.2.3:6443",   "http://10.1.2.3",
      "http://11.1.2.3",         "https://[fd00::1]:6443", "http://[fd00::1]",        "http://[fe80::1]",
      "http://localhost:99",     "http://127.9.9.9",       "http://[::1]:80",         "http://[::ffff:10.1.2.3]/"};
  const std::pair<const char*, const char*> cases[] = {
      {"", "pppppppppppp---p"},
      {"*", "----------------"},
      {"a,*", "----------------"},
      {"example.com", "-----ppppppp---p"},
      {".example.com", "ppp--ppppppp---p"},
      {"*.example.com", "ppp--ppppppp---p"},
      {"example.com:8080", "pp-ppppppppp---p"},
      {"*.example.com:443", "pppp-ppppppp---p"},
      {"10.0.0.0/8", "pppppp--pppp----"},
      {"10.1.2.3", "pppppp--pppp----"},
      {"10.1.2.3:6443", "pppppp-ppppp---p"},
      {"[fd00::1]:6443", "ppppppppp-pp---p"},
      {"fd00::1", "ppppppppp--p---p"},
      {"fd00::/8", "ppppppppp--p---p"},
      {" example.com , 10.0.0.0/8 ", "-----p--pppp----"},
      {"EXAMPLE.com", "-----ppppppp---p"},
      {"com", "------pppppp---p"},
      {"example.com:", "-----ppppppp---p"},
      {"example.com:abc", "pppppppppppp---p"},
      {":80", "pppppppppppp---p"},
      {"10.0.0.0/33", "pppppppppppp---p"},
      {"0.0.0.0/0", "pppppp---ppp----"},
      {"::ffff:10.1.2.3", "pppppp--pppp----"},
      {".", "pppppppppppp---p"},
  };
  for (const auto& [list, expected] : cases) {
    const HttpProxy proxy = from({{"HTTP_PROXY", "p:1"}, {"HTTPS_PROXY", "p:2"}, {"NO_PROXY", list}});
    std::string decided;
    for (const std::string& target : targets) {
      decided += chosen(proxy, target).empty() ? '-' : 'p';
    }
    EXPECT_EQ(decided, expected) << "NO_PROXY=" << list;
  }
}

TEST(HttpProxy, ThatIsGivenExplicitlyHasNoExceptions) {
  const HttpProxy proxy = HttpProxy::fixed("socks5h://user:pass@proxy").value();
  EXPECT_EQ(chosen(proxy, "http://localhost/"), "socks5://user:pass@proxy");
  EXPECT_EQ(chosen(proxy, "https://example.com/"), "socks5://user:pass@proxy");
}

TEST(HttpProxy, RefusesOneItCannotUseWithoutShowingItsPassword) {
  const std::map<std::string, std::string> variables = {{"HTTPS_PROXY", "ftp://user:secret@proxy"}};
  const Result<HttpProxy> proxy = HttpProxy::from_environment(Environment(variables));
  ASSERT_FALSE(proxy);
  EXPECT_EQ(proxy.error().code(), Code::kInvalid);
  EXPECT_THAT(proxy.error().message(), HasSubstr("HTTPS_PROXY"));
  EXPECT_THAT(proxy.error().message(), Not(HasSubstr("secret")));
  EXPECT_FALSE(HttpProxy::fixed("http://bad host:secret@x y"));
}

}  // namespace
}  // namespace landfall::io
