/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "worlds/reconfiguration-world.h"

#include "hosts/dispatching-network.h"
#include "hosts/routing-network.h"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace mftpubsub
{

namespace
{

/// Values by time in bins of one width.
template <typename Value>
class Bins
{
  public:
    explicit Bins(double seconds)
        : m_seconds(seconds)
    {
    }

    void Add(double at, Value value)
    {
        // An instant that is a bin's edge but for its rounding belongs to the bin that it begins.
        const auto bin = static_cast<size_t>(at / m_seconds + 1e-6);
        if (bin >= m_values.size())
        {
            m_values.resize(bin + 1);
        }
        m_values[bin] += value;
    }

    const std::vector<Value>& Get() const
    {
        return m_values;
    }

  private:
    double m_seconds;
    std::vector<Value> m_values;
};

bool
Intersect(const reconfiguration::Patterns& one, const reconfiguration::Patterns& other)
{
    return std::any_of(one.begin(), one.end(), [&other](auto pattern) {
        return std::binary_search(other.begin(), other.end(), pattern);
    });
}

/// Who of the core should get an event, and who did.
class Deliveries
{
  public:
    Deliveries(const ReconfigurationWorld& world, double binSeconds)
        : m_world(world),
          m_isOpen(world.publications.size() * world.tree.GetSize()),
          m_expected(binSeconds),
          m_delivered(binSeconds)
    {
        for (size_t event = 0; event < world.publications.size(); ++event)
        {
            Open(event);
        }
    }

    void Close(NodeId node, uint32_t event)
    {
        auto isOpen = m_isOpen[GetPlace(node, event)];
        if (isOpen)
        {
            isOpen = false;
            m_delivered.Add(m_world.publications[event].seconds, 1);
        }
    }

    const std::vector<uint64_t>& GetExpected() const
    {
        return m_expected.Get();
    }

    /// @return as many bins as expected ones
    std::vector<uint64_t> GetDelivered() const
    {
        auto delivered = m_delivered.Get();
        delivered.resize(m_expected.Get().size());
        return delivered;
    }

  private:
    size_t GetPlace(NodeId node, size_t event) const
    {
        return event * m_world.tree.GetSize() + node;
    }

    void Open(size_t event)
    {
        const auto& published = m_world.publications[event];
        for (NodeId node = 0; node < m_world.tree.GetSize(); ++node)
        {
            if (m_world.isCore[node] && node != published.node &&
                Intersect(m_world.wanted[node], published.patterns))
            {
                m_isOpen[GetPlace(node, event)] = true;
                m_expected.Add(published.seconds, 1);
            }
        }
    }

    const ReconfigurationWorld& m_world;
    std::vector<bool> m_isOpen;
    Bins<uint64_t> m_expected;
    Bins<uint64_t> m_delivered;
};

/// Schedules the events of a list, one after the other, so that few of them wait at once.
template <typename Item, typename Act>
void
Play(const std::vector<Item>& items, size_t index, const Act& act)
{
    if (index < items.size())
    {
        const auto wait = ns3::Seconds(items[index].seconds) - ns3::Simulator::Now();
        ns3::Simulator::Schedule(wait, [&items, index, act] {
            act(index, items[index]);
            Play(items, index + 1, act);
        });
    }
}

/// How long a protocol that may never come to rest is given after the last thing that happens.
constexpr double SETTLING_SECONDS = 1;

/// @return when the last thing happens
double
GetEnd(const ReconfigurationWorld& world)
{
    double end = 0;
    const auto note = [&end](const auto& items) {
        end = items.empty() ? end : std::max(end, items.back().seconds);
    };
    note(world.changes);
    note(world.swaps);
    note(world.publications);
    return end;
}

/// Has everything happen to @p network that does in @p world.
void
PlayAll(const ReconfigurationWorld& world, WiredHost& network)
{
    Play(world.changes, 0, [&network](size_t, const auto& change) {
        const auto [one, other] = change.link;
        change.breaks ? network.Break(change.id, one, other)
                      : network.Replace(change.id, one, other);
    });
    Play(world.swaps, 0, [&network](size_t, const auto& swap) {
        swap.subscribes ? network.Subscribe(swap.node, swap.pattern)
                        : network.Unsubscribe(swap.node, swap.pattern);
    });
    Play(world.publications, 0, [&network](size_t index, const auto& published) {
        auto publication = std::make_shared<reconfiguration::Publication>();
        publication->id = static_cast<uint32_t>(index);
        publication->patterns = published.patterns;
        network.Publish(published.node, publication);
    });
}

/// Runs @p world until nothing is scheduled.
WorldResult
Run(const ReconfigurationWorld& world, const WorldRun& run, WiredHost& network)
{
    Deliveries deliveries(world, run.binSeconds);
    Bins<double> traffic(run.binSeconds);
    WorldResult result;
    network.SetOnSend([&](NodeId from, NodeId to, std::string_view kind, double weight) {
        const auto now = ns3::Simulator::Now().GetSeconds();
        traffic.Add(now, weight);
        if (run.isLogged)
        {
            const auto bytes = weight * run.dispatching.subBits / 8;
            result.log.push_back({now, from, to, std::string(kind), bytes});
        }
    });
    WireRowLog rows;
    if (run.isLogged)
    {
        const auto note = [&](NodeId node) { rows.Note(node, network.DescribeTable(node)); };
        for (NodeId node = 0; node < world.tree.GetSize(); ++node)
        {
            note(node);
        }
        network.SetOnHandled(note);
    }
    network.SetOnDelivery([&deliveries](auto node, auto event) { deliveries.Close(node, event); });

    PlayAll(world, network);
    ns3::Simulator::Run();

    result.ledger = network.GetLedger();
    for (const auto& change : world.changes)
    {
        if (change.breaks)
        {
            result.involved.push_back(result.ledger.GetInvolved(change.id).size());
        }
    }
    result.eventHops = network.GetEventHops().CountAll();
    result.goodEventHops = network.GetEventHops().CountGood();
    result.expected = deliveries.GetExpected();
    result.delivered = deliveries.GetDelivered();
    result.traffic = traffic.Get();
    result.faults = network.FindFaults();
    result.rowLog = rows.Take();
    return result;
}

void
CheckOverlap(const ReconfigurationWorld& world, const std::string& protocol)
{
    std::set<reconfiguration::ReconfigurationId> open;
    for (const auto& change : world.changes)
    {
        change.breaks ? static_cast<void>(open.insert(change.id))
                      : static_cast<void>(open.erase(change.id));
        if (open.size() > 1 && !reconfiguration::AllowsOverlap(protocol))
        {
            throw std::invalid_argument(protocol +
                                        " cannot have reconfigurations that overlap, as " +
                                        std::to_string(change.id) + " does");
        }
    }
}

} // namespace

WorldResult
RunWorld(const ReconfigurationWorld& world, const WorldRun& run)
{
    if (RoutingNetwork::Has(run.protocol))
    {
        RoutingNetwork network(run.protocol, world.tree, world.wanted, run.dispatching);
        ns3::Simulator::Stop(ns3::Seconds(GetEnd(world) + SETTLING_SECONDS));
        return Run(world, run, network);
    }
    CheckOverlap(world, run.protocol);
    DispatchingNetwork network(reconfiguration::GetFactory(run.protocol),
                               world.tree,
                               world.wanted,
                               run.dispatching);
    return Run(world, run, network);
}

} // namespace mftpubsub
