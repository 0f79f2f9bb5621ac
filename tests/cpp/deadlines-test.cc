/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/deadlines.h"

#include "ns3/test.h"

#include <algorithm>
#include <map>
#include <random>

namespace mftpubsub::mesh::deadlines_test
{

namespace
{

class KnowsTheEarliest : public ns3::TestCase
{
  public:
    KnowsTheEarliest()
        : TestCase("the earliest is that of what is set, whatever was set anew or erased before")
    {
    }

  private:
    void DoRun() override
    {
        std::mt19937 random(1);
        std::map<int, Instant> expected;
        Deadlines<int> deadlines;
        NS_TEST_ASSERT_MSG_EQ((deadlines.GetEarliest() == NEVER), true, "nothing is due");
        for (int i = 0; i < 20000; ++i)
        {
            const auto key = static_cast<int>(random() % 12);
            if (random() % 3 == 0)
            {
                deadlines.Erase(key);
                expected.erase(key);
            }
            else
            {
                const Instant at(random() % 50); // several are due at once
                deadlines.Set(key, at);
                expected[key] = at;
            }
            auto earliest = NEVER;
            for (const auto& [other, at] : expected)
            {
                earliest = std::min(earliest, at);
            }
            NS_TEST_ASSERT_MSG_EQ((deadlines.GetEarliest() == earliest), true, "step " << i);
            NS_TEST_ASSERT_MSG_EQ(deadlines.Contains(key), expected.contains(key), "step " << i);
            NS_TEST_ASSERT_MSG_EQ((deadlines.Get() == expected), true, "step " << i);
        }
    }
};

class DeadlinesSuite : public ns3::TestSuite
{
  public:
    DeadlinesSuite()
        : TestSuite("mftpubsub-deadlines", Type::UNIT)
    {
        AddTestCase(new KnowsTheEarliest);
    }
};

DeadlinesSuite g_deadlinesSuite;

} // namespace

} // namespace mftpubsub::mesh::deadlines_test
