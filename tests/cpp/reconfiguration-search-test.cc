/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Random schedules of the reconfiguration family: whatever the order of deliveries, and whenever
 * timers expire, tables must in the end be as if they had been built from scratch.
 * MFTPUBSUB_SCHEDULES is the number of schedules a protocol (default 400).
 */
#include "lab/reconfiguration/reconfiguration-lab.h"
#include "protocols/reconfiguration/informed-link-activation.h"
#include "protocols/reconfiguration/reconfiguration-path.h"

#include "ns3/test.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub::reconfiguration::reconfiguration_search_test
{

namespace
{

/// C R6 left out: the timer unsubscribes what has come back.
class WithoutReturn : public DeferredUnsubTimed
{
    using DeferredUnsubTimed::DeferredUnsubTimed;

    bool HasReturned(NodeId /*neighbour*/, Pattern /*pattern*/) const override
    {
        return false;
    }
};

/// Step 7 left out: what was withheld is never told.
class WithoutWithheld : public InformedLinkActivation
{
    using InformedLinkActivation::InformedLinkActivation;

    void SubscribeWithheld(const Withheld& /*withheld*/, Actions& /*actions*/) override
    {
    }
};

class WithoutIgnoring : public ReconfigurationPath
{
    using ReconfigurationPath::ReconfigurationPath;

    bool IsIgnored(NodeId /*from*/, Pattern /*pattern*/) const override
    {
        return false;
    }
};

class WithoutStep4 : public ReconfigurationPath
{
    using ReconfigurationPath::ReconfigurationPath;

    void UnsubscribeUnwanted(NodeId /*head*/,
                             const Patterns& /*added*/,
                             Actions& /*actions*/) override
    {
    }
};

class WithoutStep8 : public ReconfigurationPath
{
    using ReconfigurationPath::ReconfigurationPath;

    void SubscribeMissed(NodeId /*head*/, const Patterns& /*told*/, Actions& /*actions*/) override
    {
    }
};

/// P_del is passed on as it came.
class WithoutSelection : public ReconfigurationPath
{
    using ReconfigurationPath::ReconfigurationPath;

    Patterns SelectRemoved(const Patterns& removed, NodeId /*next*/) const override
    {
        return removed;
    }
};

template <typename Machine, typename... Arguments>
DispatcherFactory
Make(Arguments... arguments)
{
    return [arguments...](NodeId self, const TimerOptions& timers) {
        return std::make_unique<Machine>(self, timers, arguments...);
    };
}

/// One random run of a small network, all of whose choices follow from a seed.
class Schedule
{
  public:
    Schedule(const DispatcherFactory& make, uint64_t seed, bool overlaps)
        : m_random(seed),
          m_overlaps(overlaps),
          m_lab(make, DrawTree()),
          m_weights{WEIGHTS[Draw(3)], WEIGHTS[Draw(3)], 1, 1, WEIGHTS[Draw(3)]}
    {
        for (size_t count = 2 + Draw(12); count > 0; --count)
        {
            Swap();
        }
        m_lab.DeliverAll();
    }

    /// @return what is wrong when all has come to rest
    std::vector<std::string> Run()
    {
        for (size_t step = 0; step < STEPS; ++step)
        {
            Act();
        }
        m_weights[SWAP] = m_weights[BREAK] = 0;
        m_weights[EXPIRE] = m_weights[DELIVER] = m_weights[REPLACE] = 1;
        while (Act())
        {
        }
        return m_lab.FindViolations([](NodeId node) { return std::to_string(node); });
    }

  private:
    enum Action
    {
        DELIVER,
        EXPIRE,
        SWAP,
        BREAK,
        REPLACE
    };

    static constexpr size_t STEPS = 120;
    static constexpr ReconfigurationId RECONFIGURATIONS = 6;
    static constexpr size_t PATTERNS = 3;
    /// Timers that wait for all else, and such that hardly wait; likewise messages and repairs.
    static constexpr size_t WEIGHTS[] = {1, 5, 50};

    size_t Draw(size_t bound)
    {
        return std::uniform_int_distribution<size_t>(0, bound - 1)(m_random);
    }

    Forest DrawTree()
    {
        Forest tree(3 + Draw(12));
        for (size_t node = 1; node < tree.GetSize(); ++node)
        {
            tree.Add(static_cast<NodeId>(node), static_cast<NodeId>(Draw(node)));
        }
        return tree;
    }

    /// Does something that is possible. @return false if nothing is
    bool Act()
    {
        const bool mayBreak = m_begun < RECONFIGURATIONS && (m_overlaps || IsRepaired()) &&
                              !m_lab.GetTree().GetEdges().empty();
        const bool possible[] = {!m_lab.GetInTransit().empty(),
                                 !m_lab.GetTimers().empty(),
                                 true,
                                 mayBreak,
                                 !m_missing.empty()};
        size_t total = 0;
        for (const auto action : {DELIVER, EXPIRE, SWAP, BREAK, REPLACE})
        {
            total += possible[action] ? m_weights[action] : 0;
        }
        if (total == 0)
        {
            return false;
        }
        auto drawn = Draw(total);
        for (const auto action : {DELIVER, EXPIRE, SWAP, BREAK, REPLACE})
        {
            const auto weight = possible[action] ? m_weights[action] : 0;
            if (drawn < weight)
            {
                Do(action);
                break;
            }
            drawn -= weight;
        }
        return true;
    }

    void Do(Action action)
    {
        switch (action)
        {
        case DELIVER: {
            const auto next = m_lab.GetNext();
            m_lab.Deliver(next[Draw(next.size())]);
            break;
        }
        case EXPIRE:
            ExpireOne();
            break;
        case SWAP:
            Swap();
            break;
        case BREAK: {
            const auto edges = m_lab.GetTree().GetEdges();
            const auto old = edges[Draw(edges.size())];
            m_lab.Break(m_begun, old.first, old.second);
            m_missing.emplace_back(m_begun++, old);
            break;
        }
        case REPLACE:
            Replace(Draw(m_missing.size()));
            break;
        }
    }

    void ExpireOne()
    {
        const auto timers = m_lab.GetTimers();
        m_lab.Expire(timers[Draw(timers.size())]);
    }

    /// A client subscribes, or unsubscribes.
    void Swap()
    {
        const auto node = static_cast<NodeId>(Draw(m_lab.GetTree().GetSize()));
        const auto pattern = static_cast<Pattern>(Draw(PATTERNS));
        if (m_lab.GetDispatcher(node).GetTable().Has(LOCAL, pattern))
        {
            m_lab.Unsubscribe(node, pattern);
        }
        else
        {
            m_lab.Subscribe(node, pattern);
        }
    }

    /// Whether no reconfiguration is under way; what clients have said may be.
    bool IsRepaired() const
    {
        const auto& sent = m_lab.GetInTransit();
        return m_missing.empty() && std::all_of(sent.begin(), sent.end(), [](const auto& message) {
                   return message.cause == NO_RECONFIGURATION;
               });
    }

    /// Replaces a missing link by a random other one, by itself if there is no other.
    void Replace(size_t place)
    {
        const auto [id, old] = m_missing[place];
        const auto near = m_lab.GetTree().GetPart(old.first);
        const auto far = m_lab.GetTree().GetPart(old.second);
        Edge fresh = old;
        while (fresh == old && near.size() * far.size() > 1)
        {
            fresh = {near[Draw(near.size())], far[Draw(far.size())]};
        }
        m_missing.erase(m_missing.begin() + static_cast<std::ptrdiff_t>(place));
        m_lab.Replace(id, fresh.first, fresh.second);
    }

    std::mt19937_64 m_random;
    bool m_overlaps;
    ReconfigurationLab m_lab;
    std::array<size_t, 5> m_weights; //!< by Action
    ReconfigurationId m_begun{0};
    std::vector<std::pair<ReconfigurationId, Edge>> m_missing;
};

uint64_t
GetSchedules()
{
    const auto* const given = std::getenv("MFTPUBSUB_SCHEDULES");
    return given ? std::strtoull(given, nullptr, 10) : 400;
}

/// @return the first of @p schedules random schedules that leaves something wrong, and what
std::optional<std::string>
FindFault(const DispatcherFactory& make, bool overlaps, uint64_t schedules)
{
    for (uint64_t seed = 0; seed < schedules; ++seed)
    {
        const auto faults = Schedule(make, seed, overlaps).Run();
        if (!faults.empty())
        {
            return "schedule " + std::to_string(seed) + ": " + faults[0];
        }
    }
    return {};
}

class TablesAsFromScratch : public ns3::TestCase
{
  public:
    TablesAsFromScratch()
        : TestCase("random schedules leave tables as from scratch, under every protocol")
    {
    }

  private:
    void DoRun() override
    {
        for (const auto& protocol : GetProtocols())
        {
            for (const bool overlaps : {false, true})
            {
                if (!overlaps || AllowsOverlap(protocol))
                {
                    const auto found = FindFault(GetFactory(protocol), overlaps, GetSchedules());
                    NS_TEST_EXPECT_MSG_EQ(found.value_or(""),
                                          "",
                                          protocol << (overlaps ? ", overlapping" : ""));
                }
            }
        }
    }
};

/// What the protocols need is needed: without it these schedules find tables that are wrong.
class OmissionsAreFoundOut : public ns3::TestCase
{
  public:
    OmissionsAreFoundOut()
        : TestCase("a step left out is found out by random schedules")
    {
    }

  private:
    void DoRun() override
    {
        const InformedLinkActivation::Options options;
        Expect("R6", Make<WithoutReturn>(), true);
        Expect("step 7 of informed link activation", Make<WithoutWithheld>(options), false);
        Expect("ignored UNSUBs", Make<WithoutIgnoring>(), false);
        Expect("step 4", Make<WithoutStep4>(), false);
        Expect("step 8", Make<WithoutStep8>(), false);
        Expect("P_del computed anew", Make<WithoutSelection>(), false);
        Expect("one reconfiguration at a time", Make<ReconfigurationPath>(), true);
    }

    void Expect(const std::string& omission, const DispatcherFactory& make, bool overlaps)
    {
        const auto found = FindFault(make, overlaps, 20'000);
        NS_TEST_EXPECT_MSG_EQ(found.has_value(), true, omission << " left out");
    }
};

class ReconfigurationSearchTestSuite : public ns3::TestSuite
{
  public:
    ReconfigurationSearchTestSuite()
        : TestSuite("mftpubsub-reconfiguration-search", Type::UNIT)
    {
        AddTestCase(new TablesAsFromScratch, Duration::QUICK);
        AddTestCase(new OmissionsAreFoundOut, Duration::QUICK);
    }
};

ReconfigurationSearchTestSuite g_reconfigurationSearchTestSuite;

} // namespace

} // namespace mftpubsub::reconfiguration::reconfiguration_search_test
