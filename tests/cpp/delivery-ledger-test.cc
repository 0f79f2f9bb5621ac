/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "trace/delivery-ledger.h"

#include "ns3/test.h"

#include <vector>

namespace mftpubsub::delivery_ledger_test
{

namespace
{

constexpr EventId FIRST{7, 1};
constexpr EventId SECOND{7, 2};

using Losses = std::vector<Loss>;

class EveryPairEndsOnce : public ns3::TestCase
{
  public:
    EveryPairEndsOnce()
        : TestCase("a pair is delivered or lost, once, by whatever was heard of it last")
    {
    }

  private:
    void DoRun() override
    {
        DeliveryLedger ledger;
        for (const NodeId subscriber : {3, 1, 2})
        {
            ledger.Open(SECOND, subscriber);
            ledger.Open(FIRST, subscriber);
        }
        ledger.Note(FIRST, 1, LossCause::RADIO);
        ledger.Note(FIRST, 1, LossCause::QUEUED);
        ledger.Close(FIRST, 2);
        ledger.Close(FIRST, 2);                   // a duplicate
        ledger.Note(FIRST, 2, LossCause::RADIO);  // a further copy, of no interest
        ledger.Note({8, 1}, 1, LossCause::RADIO); // nobody wanted this one
        ledger.Note(SECOND, {2, 5}, LossCause::STRANDED);
        ledger.Note({8, 1}, {1, 2}, LossCause::RADIO);
        const Losses expected{{FIRST, 1, LossCause::QUEUED},
                              {FIRST, 3, LossCause::UNSENT},
                              {SECOND, 1, LossCause::UNSENT},
                              {SECOND, 2, LossCause::STRANDED},
                              {SECOND, 3, LossCause::UNSENT}};
        NS_TEST_ASSERT_MSG_EQ((ledger.GetLosses() == expected), true, "in order");
        const std::map<std::string, uint64_t> counts{{"QUEUED", 1}, {"STRANDED", 1}, {"UNSENT", 3}};
        NS_TEST_ASSERT_MSG_EQ((ledger.CountByCause() == counts), true, "the same, counted");
        for (const NodeId subscriber : {1, 2, 3})
        {
            ledger.Close(FIRST, subscriber);
            ledger.Close(SECOND, subscriber);
        }
        NS_TEST_ASSERT_MSG_EQ(ledger.GetLosses().empty(), true, "all delivered");
        NS_TEST_ASSERT_MSG_EQ(ledger.CountByCause().empty(), true, "none is left to count");
    }
};

class CopiesWithoutNames : public ns3::TestCase
{
  public:
    CopiesWithoutNames()
        : TestCase("a copy without names concerns those whom no broker has matched")
    {
    }

  private:
    void DoRun() override
    {
        DeliveryLedger ledger;
        ledger.Open(FIRST, 1);
        ledger.Open(FIRST, 2);
        ledger.Open(SECOND, 1);
        ledger.Taken(FIRST);
        ledger.Note(FIRST, IdSet{1}, LossCause::STRANDED);
        ledger.Taken(FIRST);
        const Losses taken{{FIRST, 1, LossCause::STRANDED},
                           {FIRST, 2, LossCause::UNMATCHED},
                           {SECOND, 1, LossCause::UNSENT}};
        NS_TEST_ASSERT_MSG_EQ((ledger.GetLosses() == taken), true, "a broker has the first");
        ledger.NoteUnmatched(FIRST, LossCause::RADIO);
        ledger.Taken(FIRST); // another broker, which says nothing about the lost copy
        const Losses lost{{FIRST, 1, LossCause::STRANDED},
                          {FIRST, 2, LossCause::RADIO},
                          {SECOND, 1, LossCause::UNSENT}};
        NS_TEST_ASSERT_MSG_EQ((ledger.GetLosses() == lost), true, "a copy was lost");
    }
};

class DeliveryLedgerTestSuite : public ns3::TestSuite
{
  public:
    DeliveryLedgerTestSuite()
        : TestSuite("mftpubsub-delivery-ledger", Type::UNIT)
    {
        AddTestCase(new EveryPairEndsOnce, Duration::QUICK);
        AddTestCase(new CopiesWithoutNames, Duration::QUICK);
    }
};

DeliveryLedgerTestSuite g_deliveryLedgerTestSuite;

} // namespace

} // namespace mftpubsub::delivery_ledger_test
