/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * The policies of queues that ship: which events leave a queue.
 */
#include "function-case.h"
#include "policies/queue-policy.h"

#include "ns3/test.h"

#include <string>
#include <utility>
#include <vector>

namespace mftpubsub::queue_policy_test
{

namespace
{

/// @return the places that @p policy drops of three events, of 30 s, 20 s and 10 s
std::vector<size_t>
DropOfThree(QueuePolicy&& policy)
{
    std::vector<QueuedEvent> events;
    for (uint32_t place = 0; place < 3; ++place)
    {
        events.push_back({1, place, 30.0 - 10 * place, 100});
    }
    return policy.Decide({}, 7, events);
}

void
BoundedQueuesDropWhatIsTooMuch(FunctionCase& test)
{
    using Places = std::vector<size_t>;
    test.Expect(DropOfThree(BoundedQueue(3, false)).empty(), "just full");
    test.Expect(DropOfThree(BoundedQueue(2, false)) == Places{0}, "the oldest");
    test.Expect(DropOfThree(BoundedQueue(1, false)) == Places{0, 1}, "the oldest two");
    test.Expect(DropOfThree(BoundedQueue(2, true)) == Places{2}, "the newest");
    test.Expect(DropOfThree(BoundedQueue(0, true)) == Places{0, 1, 2}, "all");
}

void
ExpiringQueuesDropWhatIsTooOld(FunctionCase& test)
{
    using Places = std::vector<size_t>;
    test.Expect(DropOfThree(ExpiringQueue(30)).empty(), "just young enough");
    test.Expect(DropOfThree(ExpiringQueue(20)) == Places{0}, "older than that");
    test.Expect(DropOfThree(ExpiringQueue(5)) == Places{0, 1, 2}, "all");
}

class QueuePolicySuite : public ns3::TestSuite
{
  public:
    QueuePolicySuite()
        : TestSuite("mftpubsub-queue-policy", Type::UNIT)
    {
        Add("Bounded queues drop what is too much", BoundedQueuesDropWhatIsTooMuch);
        Add("Expiring queues drop what is too old", ExpiringQueuesDropWhatIsTooOld);
    }

  private:
    void Add(const std::string& name, FunctionCase::Function function)
    {
        AddTestCase(new FunctionCase(name, std::move(function)), Duration::QUICK);
    }
};

QueuePolicySuite g_queuePolicy;

} // namespace

} // namespace mftpubsub::queue_policy_test
