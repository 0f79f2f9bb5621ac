/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Filters that can match nothing, since types of theirs are unlike.
 */
#include "content/filter-types.h"
#include "function-case.h"

#include "ns3/test.h"

#include <string>
#include <utility>

namespace mftpubsub::filter_types_test
{

namespace
{

const AttributeTypes TYPES{{"price", NUMBER_TYPE},
                           {"topic", TEXT_TYPE},
                           {"urgent", BOOLEAN_TYPE},
                           {"size", NUMBER_TYPE | TEXT_TYPE}};

std::string
Check(const std::string& filter)
{
    return FindTypeProblem(Filter::Parse(filter), TYPES);
}

void
SoundFiltersHaveNoProblem(FunctionCase& test)
{
    for (const auto* filter : {"price < 3",
                               "price = 2.5",
                               "topic = 'a'",
                               "urgent",
                               "NOT urgent",
                               "urgent = TRUE",
                               "topic LIKE 'a%'",
                               "topic IN ('a', 'b')",
                               "topic IN (3, 'a')",
                               "price IN ('a', 3)",
                               "price IS NULL",
                               "price + 1 > 2 * price",
                               "size = 'large' AND size < 3",
                               "size LIKE 'l%'",
                               "unknown = 3 OR unknown = 'a'",
                               "unknown > 3"})
    {
        test.Expect(Check(filter).empty(), filter);
    }
}

void
UnlikeTypesAreTold(FunctionCase& test)
{
    const std::pair<std::string, std::string> told[]{
        {"price = 'a'", "price (a number) is never compared with 'a' (a text)"},
        {"'a' = price", "'a' (a text) is never compared with price (a number)"},
        {"urgent <> 2.5", "urgent (true or false) is never compared with 2.5 (a number)"},
        {"topic = TRUE", "topic (a text) is never compared with TRUE (true or false)"},
        {"topic = price + 1", "topic (a text) is never compared with a result (a number)"},
        {"topic < 'b'", "an order needs a number, and here is topic (a text)"},
        {"price < 'b'", "price (a number) is never compared with 'b' (a text)"},
        {"topic + 1 = 2", "arithmetic needs a number, and here is topic (a text)"},
        {"1 - topic = 2", "arithmetic needs a number, and here is topic (a text)"},
        {"price = 2 * (1 + topic)", "arithmetic needs a number, and here is topic (a text)"},
        {"price LIKE 'a%'", "LIKE needs a text, and here is price (a number)"},
        {"topic", "a condition needs true or false, and here is topic (a text)"},
        {"size", "a condition needs true or false, and here is size (a number, a text)"},
        {"topic IN (1, 2)", "topic (a text) is never compared with 2 (a number)"},
        {"price < 3 AND topic = 3", "topic (a text) is never compared with 3 (a number)"},
        {"urgent OR NOT topic = 3", "topic (a text) is never compared with 3 (a number)"}};
    for (const auto& [filter, problem] : told)
    {
        test.Expect(Check(filter) == problem, filter + ": " + Check(filter));
    }
}

class FilterTypesSuite : public ns3::TestSuite
{
  public:
    FilterTypesSuite()
        : TestSuite("mftpubsub-filter-types", Type::UNIT)
    {
        Add("Sound filters have no problem", SoundFiltersHaveNoProblem);
        Add("Unlike types are told", UnlikeTypesAreTold);
    }

  private:
    void Add(const std::string& name, FunctionCase::Function function)
    {
        AddTestCase(new FunctionCase(name, std::move(function)), Duration::QUICK);
    }
};

FilterTypesSuite g_filterTypes;

} // namespace

} // namespace mftpubsub::filter_types_test
