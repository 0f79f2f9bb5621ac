/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "content/filter-parser.h"
#include "content/filter.h"

#include "ns3/test.h"

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub::filter_test
{

namespace
{

/// The event that every condition here is evaluated for.
Event
MakeEvent()
{
    Event event;
    event.attributes = {{"i", int64_t{5}},
                        {"huge", int64_t{9007199254740993}},
                        {"max", std::numeric_limits<int64_t>::max()},
                        {"min", std::numeric_limits<int64_t>::min()},
                        {"d", 2.5},
                        {"nan", std::nan("")},
                        {"s", std::string("it's")},
                        {"percent", std::string("50%_\\")},
                        {"accent", std::string("\xc3\xa9t\xc3\xa9")},
                        {"yes", true},
                        {"no", false}};
    return event;
}

std::string
Repeat(const std::string& text, int times)
{
    std::string all;
    for (int i = 0; i < times; ++i)
    {
        all += text;
    }
    return all;
}

/// Conditions of one kind, by the truth value that they have for the event.
class TruthTestCase : public ns3::TestCase
{
  public:
    TruthTestCase(std::string name,
                  std::vector<std::string> isTrue,
                  std::vector<std::string> isFalse,
                  std::vector<std::string> isUnknown)
        : ns3::TestCase(std::move(name)),
          m_expected{{Truth::TRUE_, std::move(isTrue)},
                     {Truth::FALSE_, std::move(isFalse)},
                     {Truth::UNKNOWN, std::move(isUnknown)}}
    {
    }

  private:
    void DoRun() override
    {
        const Event event = MakeEvent();
        for (const auto& [truth, texts] : m_expected)
        {
            for (const std::string& text : texts)
            {
                const Filter filter = Filter::Parse(text);
                NS_TEST_EXPECT_MSG_EQ((filter.Evaluate(event) == truth), true, text);
                NS_TEST_EXPECT_MSG_EQ(filter.Matches(event), (truth == Truth::TRUE_), text);
            }
        }
    }

    std::vector<std::pair<Truth, std::vector<std::string>>> m_expected;
};

class ErrorTestCase : public ns3::TestCase
{
  public:
    ErrorTestCase(const std::string& text, std::string message, size_t position)
        : ns3::TestCase("refuses " + text.substr(0, 40)),
          m_text(text),
          m_message(std::move(message)),
          m_position(position)
    {
    }

  private:
    void DoRun() override
    {
        try
        {
            Filter::Parse(m_text);
            NS_TEST_EXPECT_MSG_EQ(true, false, "was accepted");
        }
        catch (const FilterError& error)
        {
            NS_TEST_EXPECT_MSG_EQ(std::string(error.what()), m_message, m_text);
            NS_TEST_EXPECT_MSG_EQ(error.GetPosition(), m_position, m_text);
        }
    }

    std::string m_text;
    std::string m_message;
    size_t m_position;
};

class InterningTestCase : public ns3::TestCase
{
  public:
    InterningTestCase()
        : ns3::TestCase("a text is parsed once while a filter of it lives; filters sort by text")
    {
    }

  private:
    void DoRun() override
    {
        const Filter first = Filter::Parse("i = 5");
        const Filter second = Filter::Parse("i = 5");
        const Filter other = Filter::Parse("i  = 5");
        NS_TEST_EXPECT_MSG_EQ((&first.GetCondition() == &second.GetCondition()), true, "shared");
        NS_TEST_EXPECT_MSG_EQ((first == second), true, "same text");
        NS_TEST_EXPECT_MSG_EQ((first == other), false, "the text counts, not its meaning");
        NS_TEST_EXPECT_MSG_EQ((other < first), true, "' ' sorts before '='");
        NS_TEST_EXPECT_MSG_EQ(other.GetText(), "i  = 5", "text as given");
    }
};

class LongTextTestCase : public ns3::TestCase
{
  public:
    LongTextTestCase()
        : ns3::TestCase("depth is bounded, length of a chain of AND or OR is not")
    {
    }

  private:
    void DoRun() override
    {
        const Event event = MakeEvent();
        const Filter chain = Filter::Parse("i = 0" + Repeat(" OR i = 1", 5000) + " OR yes");
        NS_TEST_EXPECT_MSG_EQ(chain.Matches(event), true, "a chain of 5000");
        const int deep = MAX_FILTER_DEPTH - 1;
        NS_TEST_EXPECT_MSG_EQ(
            Filter::Parse(Repeat("(", deep) + "yes" + Repeat(")", deep)).Matches(event),
            true,
            "as deep as allowed");
        for (const char* opening : {"(", "NOT ", "- ", "i + ", "NOT (i + 1 = "})
        {
            ExpectError(Repeat(opening, 60000 / static_cast<int>(std::string(opening).size())));
        }
        ExpectError("i = 0" + Repeat(" + 1", MAX_FILTER_DEPTH));
        ExpectError(Repeat(" ", MAX_FILTER_BYTES) + "i = 0");
    }

    void ExpectError(const std::string& text)
    {
        NS_TEST_EXPECT_MSG_EQ(IsRefused(text), true, text.substr(0, 40));
    }

    static bool IsRefused(const std::string& text)
    {
        try
        {
            Filter::Parse(text);
            return false;
        }
        catch (const FilterError&)
        {
            return true;
        }
    }
};

class FilterTestSuite : public ns3::TestSuite
{
  public:
    FilterTestSuite()
        : ns3::TestSuite("mftpubsub-filter", Type::UNIT)
    {
        AddTruths();
        AddErrors();
        Add(new InterningTestCase);
        Add(new LongTextTestCase);
    }

  private:
    void Add(ns3::TestCase* testCase)
    {
        AddTestCase(testCase, ns3::TestCase::Duration::QUICK);
    }

    void AddTruths()
    {
        Add(new TruthTestCase("numbers compare exactly, integers with floats too",
                              {"i = 5.0",
                               "i <> 4",
                               "d < i",
                               "huge > 9007199254740992.0",
                               "max < 9223372036854775808.0",
                               "min = -9223372036854775808.0",
                               "5 >= i",
                               "i <= 5"},
                              {"huge = 9007199254740992.0", "i > 5", "max = 9223372036854775808.0"},
                              {}));
        Add(new TruthTestCase("unlike types, missing attributes and NaN are unknown",
                              {},
                              {},
                              {"i = '5'",
                               "yes = 1",
                               "s > 'a'",
                               "no < yes",
                               "x = 1",
                               "NOT x = 1",
                               "x <> x",
                               "nan = nan",
                               "nan < 1",
                               "NOT nan < 1",
                               "i",
                               "s",
                               "x"}));
        Add(new TruthTestCase("AND, OR and NOT follow three-valued logic; NOT binds tightest",
                              {"yes OR x",
                               "x OR yes",
                               "NOT (no AND x)",
                               "NOT no AND yes",
                               "yes OR yes AND no",
                               "NOT i = 4"},
                              {"no AND x", "x AND no", "NOT (yes OR x)", "(yes OR yes) AND no"},
                              {"yes AND x", "no OR x", "NOT x", "x OR x", "x AND x"}));
        Add(new TruthTestCase("BETWEEN includes its bounds",
                              {"i BETWEEN 5 AND 6",
                               "i not between 6 and 7",
                               "i BETWEEN d AND d * 2",
                               "x NOT BETWEEN 1 AND 0 OR yes",
                               "i BETWEEN 1 AND 9 AND yes"},
                              {"i BETWEEN 6 AND 5", "i NOT BETWEEN 1 AND 9", "i BETWEEN 6 AND x"},
                              {"i BETWEEN 1 AND x", "s BETWEEN 'a' AND 'z'"}));
        Add(new TruthTestCase(
            "IN is a chain of equalities",
            {"i IN (1, 5)", "s IN ('it''s')", "i IN ('x', 5)", "i NOT IN (-1, +2)"},
            {"i IN (1, 2)", "i NOT IN (5.0, 'x')"},
            {"i IN (1, 'x')", "i NOT IN (1, 'x')", "x IN (1)"}));
        Add(new TruthTestCase(
            "LIKE matches characters, not bytes; ESCAPE makes % and _ plain",
            {"s LIKE 'it%'",
             "s LIKE '%'",
             "s LIKE '__''s'",
             "accent LIKE '___'",
             "percent LIKE '50!%!_\\' ESCAPE '!'",
             "percent LIKE '5%\\'",
             "s NOT LIKE 'IT%'",
             "accent LIKE '%t\xc3\xa9'",
             "percent LIKE '%\\\\' ESCAPE '\\'"},
            {"s LIKE ''", "s LIKE 'it'", "accent LIKE '____'", "s LIKE '!%' ESCAPE '!'"},
            {"i LIKE '5'", "x LIKE '%'", "x NOT LIKE '%'"}));
        Add(new TruthTestCase("IS NULL is never unknown",
                              {"x IS NULL", "i IS NOT NULL", "nan is not null"},
                              {"i IS NULL", "x IS NOT NULL"},
                              {}));
        Add(new TruthTestCase("arithmetic has the usual precedence; undefined results are unknown",
                              {"1 + 2 * 3 = 7",
                               "-i + 2 = -3",
                               "7 / 2 = 3",
                               "7 / 2.0 = 3.5",
                               "10 - 2 - 3 = 5",
                               "-(i) = -5",
                               "- - 5 = i",
                               "1e1 = 10 AND 25E-1 = d AND 0.5e+1 = i",
                               "(i + 1) * 2 = 12"},
                              {"max - 1 = max"},
                              {"max + 1 > 0",
                               "-min > 0",
                               "min / -1 > 0",
                               "max * 2 > 0",
                               "i / 0 = 1",
                               "d / 0.0 = 1",
                               "s + 1 = 1",
                               "-s = 1",
                               "x * 0 = 0"}));
        Add(new TruthTestCase("names are case-sensitive, keywords are not",
                              {"yEs IS nuLL aNd TRUE", "a.b$_1 IS NULL", "Not FALSE"},
                              {},
                              {"I = 5"}));
    }

    void AddErrors()
    {
        Add(new ErrorTestCase("topic = ",
                              "expected a value after '=' at position 8, found end of text",
                              8));
        Add(new ErrorTestCase("", "expected a condition at position 0, found end of text", 0));
        Add(new ErrorTestCase("i + 1", "expected a condition at position 0, found a value", 0));
        Add(new ErrorTestCase("i = (d > 1)",
                              "expected a value at position 4, found a condition",
                              4));
        Add(new ErrorTestCase("(i = 1", "expected ')' at position 6, found end of text", 6));
        Add(new ErrorTestCase(
            "i = 1 j",
            "expected an operator or the end of the text at position 6, found 'j'",
            6));
        Add(new ErrorTestCase("s = 'a",
                              "expected a closing quote for the string begun at position 4 at "
                              "position 6, found end of text",
                              6));
        Add(new ErrorTestCase("i = 9223372036854775808",
                              "expected a 64-bit integer at position 4, found "
                              "'9223372036854775808'",
                              4));
        Add(new ErrorTestCase("i IN ()",
                              "expected a literal after '(' at position 6, found ')'",
                              6));
        Add(new ErrorTestCase("i = 1e",
                              "expected the digits of an exponent at position 6, found end of text",
                              6));
        Add(new ErrorTestCase("i = 1e-x",
                              "expected the digits of an exponent at position 7, found 'x'",
                              7));
        Add(new ErrorTestCase("i # 1",
                              "expected a value or an operator at position 2, found '#'",
                              2));
        Add(new ErrorTestCase(
            "5 IS NULL",
            "expected an attribute before 'IS' at position 0, found another value",
            0));
    }
};

FilterTestSuite g_filterTestSuite;

} // namespace

} // namespace mftpubsub::filter_test
