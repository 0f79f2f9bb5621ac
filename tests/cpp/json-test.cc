/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "json/json-reader.h"
#include "json/json-writer.h"

#include "ns3/test.h"

#include <limits>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

using namespace mftpubsub;

namespace
{

struct Inner
{
    uint8_t small{0};
    std::vector<std::pair<std::string, double>> pairs;
};

struct Outer
{
    bool flag{false};
    int64_t whole{0};
    double real{0};
    std::string text;
    std::vector<Inner> inners;
    std::map<std::string, double> numbers;
    std::vector<std::variant<int64_t, double, std::string, bool>> scalars;
    int untold{0};
};

} // namespace

template <>
inline constexpr auto mftpubsub::FIELDS<Inner> =
    MakeFields<Inner>(MFTPUBSUB_FIELD(Inner, small), MFTPUBSUB_FIELD(Inner, pairs));

template <>
inline constexpr auto mftpubsub::FIELDS<Outer> =
    MakeFields<Outer, 1>(MFTPUBSUB_FIELD(Outer, flag),
                         MFTPUBSUB_FIELD(Outer, whole),
                         MFTPUBSUB_FIELD(Outer, real),
                         MFTPUBSUB_FIELD(Outer, text),
                         MFTPUBSUB_FIELD(Outer, inners),
                         MFTPUBSUB_FIELD(Outer, numbers),
                         MFTPUBSUB_FIELD(Outer, scalars));

namespace
{

class WhatIsWrittenIsRead : public ns3::TestCase
{
  public:
    WhatIsWrittenIsRead()
        : TestCase("what is written is read again, and written alike")
    {
    }

  private:
    void DoRun() override
    {
        const std::string least = R"({"flag":false,"whole":0,"real":0.0,"text":"","inners":[],)"
                                  R"("numbers":{},"scalars":[]})";
        NS_TEST_ASSERT_MSG_EQ(ToJson(Outer()), least, "defaults");
        Outer outer;
        outer.flag = true;
        outer.whole = std::numeric_limits<int64_t>::min();
        outer.real = 0.1;
        outer.text = std::string("\"\\\n\t\0\x1f é", 9);
        outer.inners = {{255, {{"a", 1e300}, {"b", -0.5}}}, {}};
        outer.numbers = {{"x", std::numeric_limits<double>::denorm_min()}};
        outer.scalars = {int64_t{1}, 1.0, "1", true};
        const auto text = ToJson(outer);
        const auto again = FromJson<Outer>(text, "it");
        NS_TEST_ASSERT_MSG_EQ(ToJson(again), text, "written alike");
        NS_TEST_ASSERT_MSG_EQ(again.text, outer.text, "a text of any characters");
        NS_TEST_ASSERT_MSG_EQ(ToJson(std::numeric_limits<double>::quiet_NaN()),
                              "null",
                              "no number");
        NS_TEST_ASSERT_MSG_EQ(again.real, 0.1, "to the last bit");
        NS_TEST_ASSERT_MSG_EQ((again.numbers == outer.numbers), true, "down to the least");
        NS_TEST_ASSERT_MSG_EQ((again.scalars == outer.scalars), true, "with their types");
    }
};

class FieldsHaveAnyOrder : public ns3::TestCase
{
  public:
    FieldsHaveAnyOrder()
        : TestCase("fields have any order, and spaces between them")
    {
    }

  private:
    void DoRun() override
    {
        const auto inner =
            FromJson<Inner>(" { \"pairs\" : [ [ \"\\u0061\\/\" , 3 ] ] ,\n\"small\":7 } ", "it");
        NS_TEST_ASSERT_MSG_EQ(+inner.small, 7, "behind the other");
        NS_TEST_ASSERT_MSG_EQ(inner.pairs.at(0).first, "a/", "escapes");
        NS_TEST_ASSERT_MSG_EQ(inner.pairs.at(0).second, 3, "a whole number is a double, too");
        const auto others = FromJson<std::string>(
            R"("\u007f\u0080\u07FF\u0800\ud7ff\ue000\uffff\ud800\udc00\uDBFF\uDFFF")",
            "it");
        NS_TEST_ASSERT_MSG_EQ(others,
                              "\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80"
                              "\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf",
                              "escapes become UTF-8");
    }
};

class OtherTextsAreRefused : public ns3::TestCase
{
  public:
    OtherTextsAreRefused()
        : TestCase("other texts are refused, and where and why is told")
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<std::pair<std::string, std::string>> cases{
            {R"({"small":1})", "it.pairs: missing"},
            {R"({"small":1,"pairs":[],"more":0})",
             "it.more: must be a field that is known here, not '0}'"},
            {R"({"small":1,"small":1,"pairs":[]})",
             "it.small: must be given once, not '1,\"pairs\":[]}'"},
            {R"({"small":256,"pairs":[]})",
             "it.small: must be a whole number in the member's range, not '256'"},
            {R"({"small":-1,"pairs":[]})",
             "it.small: must be a whole number in the member's range, not '-1'"},
            {R"({"small":1.0,"pairs":[]})",
             "it.small: must be a whole number in the member's range, not '1.0'"},
            {R"({"small":1,"pairs":[["a"]]})", "it.pairs[0]: must be a pair, not ']}'"},
            {R"({"small":1,"pairs":[["a",1,2]]})", "it.pairs[0][2]: must be a pair, not '2]]}'"},
            {R"({"small":1,"pairs":[["a",1e]]})", "it.pairs[0][1]: must be a number, not '1e'"},
            {R"({"small":1,"pairs":[["a",nan]]})", "it.pairs[0][1]: must be a number"},
            {R"({"small":1,"pairs":[["\u00e",1]]})", "it.pairs[0][0]: must be an escape of JSON"},
            {R"({"small":1,"pairs":[["\x",1]]})",
             R"(it.pairs[0][0]: must be an escape of JSON, as in \n or \u00fc, not 'x",1]]}')"},
            {R"({"small":1,"pairs":[["\ud83d",1]]})",
             "it.pairs[0][0]: must be a pair of surrogates, as in \\ud83d\\ude00, not 'ud83d\""},
            {R"({"small":1,"pairs":[["\ud83dA",1]]})",
             "it.pairs[0][0]: must be a pair of surrogates"},
            {R"({"small":1,"pairs":[["\ud83d\u0041",1]]})",
             "it.pairs[0][0]: must be a pair of surrogates"},
            {R"({"small":1,"pairs":[["\ud83d\ue000",1]]})",
             "it.pairs[0][0]: must be a pair of surrogates"},
            {R"({"small":1,"pairs":[["\ude00",1]]})",
             "it.pairs[0][0]: must be a pair of surrogates"},
            {R"({"small":1,"pairs":[["a)", "it.pairs[0][0]: must be the end of a text"},
            {"{\"small\":1,\"pairs\":[[\"\n\",1]]}", "it.pairs[0][0]: must be a text, control"},
            {R"({"small":1,"pairs":[]} 2)", "it: must be the end, not '2'"},
            {R"({"small":1,"pairs":[])", "it: must be '}', not the end"},
            {R"([])", "it: must be '{', not '[]'"},
            {"", "it: must be '{', not the end"},
        };
        for (const auto& [text, told] : cases)
        {
            ExpectRefusal<Inner>(text, told);
        }
        using Scalar = std::variant<int64_t, double, std::string, bool>;
        for (const std::string text : {"null", "[1]", "{}", "+5", ""})
        {
            ExpectRefusal<Scalar>(text, "it: must be a text, a number, true or false, not ");
        }
        ExpectRefusal<Scalar>("9223372036854775808", "it: must be a whole number from -2^63 to");
    }

    template <typename T>
    void ExpectRefusal(const std::string& text, const std::string& told)
    {
        std::string what;
        try
        {
            FromJson<T>(text, "it");
        }
        catch (const std::invalid_argument& error)
        {
            what = error.what();
        }
        NS_TEST_EXPECT_MSG_EQ(what.substr(0, told.size()), told, text);
    }
};

class JsonTestSuite : public ns3::TestSuite
{
  public:
    JsonTestSuite()
        : TestSuite("mftpubsub-json", Type::UNIT)
    {
        AddTestCase(new WhatIsWrittenIsRead, Duration::QUICK);
        AddTestCase(new FieldsHaveAnyOrder, Duration::QUICK);
        AddTestCase(new OtherTextsAreRefused, Duration::QUICK);
    }
};

JsonTestSuite g_jsonTestSuite;

} // namespace
