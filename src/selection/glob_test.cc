#include "selection/glob.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <utility>
#include <vector>

namespace landfall::selection {
namespace {

bool matches(std::string_view pattern, std::string_view text) {
  const auto glob = Glob::compile(pattern);
  EXPECT_TRUE(glob) << pattern << ": " << glob.error().message();
  return glob && glob->matches(text);
}

TEST(Glob, MatchesAsVelerosPatternsDo) {
  const std::vector<std::pair<const char*, std::vector<const char*>>> accepted = {
      {"", {""}},
      {"pods", {"pods"}},
      {"*", {"", "pods", "deployments.apps", "a/b"}},
      {"**", {"", "a.b"}},
      {"*.apps", {"deployments.apps", ".apps", "a.b.apps"}},
      {"a?c", {"abc", "a.c", "aéc"}},
      {"[ab-d]x", {"ax", "bx", "-x", "dx"}},
      {"[a-c]", {"a", "b", "c"}},
      {"[!a-c]", {"d", "-"}},
      {"[!ab]z", {"cz", "!z"}},
      {"{kube-*,default}", {"kube-system", "default"}},
      {"{a,{b,c}d}e", {"ae", "bde", "cde"}},
      {"{a,}b", {"ab", "b"}},
      {"{a,b", {"a", "b"}},
      {"a,b}]", {"a,b}]"}},
      {"\\*a", {"*a"}},
      {"[\\]]", {"]"}},
      {"a\\", {"a"}},
  };
  for (const auto& [pattern, texts] : accepted) {
    for (const char* text : texts) {
      EXPECT_TRUE(matches(pattern, text)) << pattern << " on " << text;
    }
  }
  const std::vector<std::pair<const char*, const char*>> refused = {
      {"", "a"},       {"pods", "pod"}, {"pods", "podss"}, {"*.apps", "apps"},    {"a?c", "ac"},
      {"a?c", "abbc"}, {"[a-c]", "d"},  {"[a-c]", ""},     {"[!a-c]", "b"},       {"[ab-d]x", "cx"},
      {"\\*a", "xa"},  {"{a,b}c", "c"}, {"{a,b}c", "abc"}, {"{a,{b,c}d}e", "be"}, {"[!ab]z", "az"},
  };
  for (const auto& [pattern, text] : refused) {
    EXPECT_FALSE(matches(pattern, text)) << pattern << " on " << text;
  }
}

TEST(Glob, RefusesWhatCannotBeReadAndNamesThePlace) {
  for (const char* pattern : {"[", "[]", "[!]", "[a", "[a-", "[a-]", "[a-cx]", "[z-a]", "a\xff", "[\xff]"}) {
    EXPECT_FALSE(Glob::compile(pattern)) << pattern;
  }
  EXPECT_EQ(Glob::compile("ab[c").error().message(), R"(pattern "ab[c": at byte 2: the set is not closed)");
  EXPECT_FALSE(Glob::compile(std::string(Glob::kMaxBytes + 1, 'a')));
}

TEST(Glob, AHostilePatternTakesNoMoreThanItsLengthTimesTheTexts) {
  std::string stars;
  for (int i = 0; i < 300; ++i) {
    stars += "*a";
  }
  const std::string text(5000, 'a');
  EXPECT_TRUE(matches(stars, text));
  EXPECT_FALSE(matches(stars + "b", text));
  EXPECT_FALSE(matches(std::string(500, '{') + "a*" + std::string(500, '}') + "b", text));
}

// Text over few characters, so that patterns and texts often meet.
rc::Gen<std::string> any_text() { return rc::gen::container<std::string>(rc::gen::element('a', 'b', '.')); }

using Parts = std::vector<std::string>;
rc::Gen<Parts> any_pattern() {
  return rc::gen::container<Parts>(
      rc::gen::element<std::string>("a", "b", ".", "*", "?", "[ab]", "[!a]", "[a-b]", "**"));
}

// The meaning of the parts, spelled out: exponential, and therefore good only for short ones.
bool naive(const Parts& parts, std::size_t part, std::string_view text) {
  if (part == parts.size()) return text.empty();
  const std::string& p = parts[part];
  if (p == "*" || p == "**") {
    return naive(parts, part + 1, text) || (!text.empty() && naive(parts, part, text.substr(1)));
  }
  if (text.empty()) return false;
  const char c = text.front();
  const bool fits = p == "?" || (p == "[!a]" ? c != 'a' : p.size() > 1 ? c == 'a' || c == 'b' : p.front() == c);
  return fits && naive(parts, part + 1, text.substr(1));
}

RC_GTEST_PROP(Glob, SaysWhatItsPartsMean, ()) {
  const Parts parts = *rc::gen::resize(12, any_pattern());
  const std::string text = *rc::gen::resize(12, any_text());
  std::string pattern;
  for (const std::string& part : parts) pattern += part;
  RC_ASSERT(Glob::compile(pattern)->matches(text) == naive(parts, 0, text));
}

RC_GTEST_PROP(Glob, AnAlternativeMatchesWhatOneOfItsPartsMatches, ()) {
  const Parts left = *rc::gen::resize(6, any_pattern());
  const Parts right = *rc::gen::resize(6, any_pattern());
  const std::string text = *rc::gen::resize(8, any_text());
  std::string pattern = "{";
  for (const std::string& part : left) pattern += part;
  pattern += ",";
  for (const std::string& part : right) pattern += part;
  RC_ASSERT(Glob::compile(pattern + "}")->matches(text) == (naive(left, 0, text) || naive(right, 0, text)));
}

}  // namespace
}  // namespace landfall::selection
