/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "trace/run-trace.h"

#include "ns3/simulator.h"

#include <cmath>
#include <string>
#include <utility>

namespace mftpubsub
{

namespace
{

/// Events whose matches are looked up as a whole.
constexpr size_t LATELY = 4096;

int64_t
NowNs()
{
    return ns3::Simulator::Now().GetNanoSeconds();
}

std::string
InThousandths(double value)
{
    return std::to_string(std::llround(value * 1000));
}

int64_t
ToField(NodeId node)
{
    return node == NO_NODE ? -1 : node;
}

} // namespace

RunTrace::RunTrace(TraceSink sink)
    : m_writer(std::move(sink))
{
}

void
RunTrace::Role(NodeId node, uint8_t roles)
{
    std::string letters;
    letters += roles & ROLE_BROKER ? "B" : "";
    letters += roles & ROLE_SUBSCRIBER ? "S" : "";
    letters += roles & ROLE_PUBLISHER ? "P" : "";
    m_writer.Write({'+', NowNs(), node, "node", letters.empty() ? "R" : letters});
}

void
RunTrace::Published(NodeId node, const Event& event)
{
    ++m_counters.published;
    m_writer.Write({.op = '+',
                    .timeNs = NowNs(),
                    .node = node,
                    .layer = "app",
                    .kind = "PUBLISH",
                    .bytes = event.payloadBytes,
                    .publisher = event.id.publisher,
                    .sequence = event.id.sequence});
}

void
RunTrace::Sent(NodeId publisher, EventId event, NodeId subscriber)
{
    m_ledger.Open(event, subscriber);
    ++m_counters.wanted;
    m_writer.Write({.op = '+',
                    .timeNs = NowNs(),
                    .node = publisher,
                    .layer = "app",
                    .kind = "SEND",
                    .publisher = event.publisher,
                    .sequence = event.sequence,
                    .subscriber = subscriber});
}

void
RunTrace::BeginMeasuring(std::unordered_map<NodeId, double> joules)
{
    m_early = std::exchange(m_ledger, {});
    m_earlyJoules = std::move(joules);
    m_counters = {};
    m_writer.Write({'+', NowNs(), -1, "run", "WARM"});
}

void
RunTrace::Subscribed(char op, NodeId subscriber)
{
    m_writer.Write({.op = op,
                    .timeNs = NowNs(),
                    .node = subscriber,
                    .layer = "app",
                    .kind = op == '+' ? "SUBSCRIBE" : "UNSUBSCRIBE",
                    .subscriber = subscriber});
}

void
RunTrace::Taken(EventId event)
{
    for (auto* ledger : {&m_ledger, &m_early})
    {
        ledger->Taken(event);
    }
}

void
RunTrace::Fate(EventId event, NodeId subscriber, LossCause cause)
{
    for (auto* ledger : {&m_ledger, &m_early})
    {
        ledger->Note(event, subscriber, cause);
    }
}

void
RunTrace::FateUnmatched(EventId event, LossCause cause)
{
    for (auto* ledger : {&m_ledger, &m_early})
    {
        ledger->NoteUnmatched(event, cause);
    }
}

void
RunTrace::Fate(EventId event, const IdSet& subscribers, LossCause cause)
{
    for (auto* ledger : {&m_ledger, &m_early})
    {
        ledger->Note(event, subscribers, cause);
    }
}

void
RunTrace::Matched(NodeId broker, EventId event, NodeId subscriber)
{
    Fate(event, subscriber, LossCause::STRANDED);
    WriteMatch(broker, event, subscriber);
}

void
RunTrace::Matched(NodeId broker, EventId event, const IdSet& subscribers)
{
    Fate(event, subscribers, LossCause::STRANDED);
    if (m_matchedLately.size() >= LATELY)
    {
        m_matchedLately.clear();
    }
    auto& known = m_matchedLately[event];
    for (const auto subscriber : subscribers.Minus(known))
    {
        WriteMatch(broker, event, subscriber);
    }
    known.Insert(subscribers);
}

void
RunTrace::WriteMatch(NodeId broker, EventId event, NodeId subscriber)
{
    if (!m_matched[subscriber].Insert(event))
    {
        return;
    }
    m_writer.Write({.op = '+',
                    .timeNs = NowNs(),
                    .node = broker,
                    .layer = "broker",
                    .kind = "MATCH",
                    .publisher = event.publisher,
                    .sequence = event.sequence,
                    .subscriber = subscriber});
}

void
RunTrace::SetDeliveryCallback(DeliveryCallback callback)
{
    m_deliveryCallback = std::move(callback);
}

void
RunTrace::Delivered(NodeId subscriber, EventId event, NodeId from, uint8_t hops, bool duplicate)
{
    for (auto* ledger : {&m_ledger, &m_early})
    {
        ledger->Close(event, subscriber);
    }
    m_writer.Write({.op = duplicate ? 'd' : 'r',
                    .timeNs = NowNs(),
                    .node = subscriber,
                    .layer = "app",
                    .kind = duplicate ? "DUPLICATE" : "DELIVER",
                    .peer = ToField(from),
                    .publisher = event.publisher,
                    .sequence = event.sequence,
                    .subscriber = subscriber,
                    .hops = hops});
    if (m_deliveryCallback)
    {
        m_deliveryCallback(subscriber, event, hops, duplicate);
    }
}

void
RunTrace::Overheard(NodeId subscriber, EventId event, NodeId from, uint8_t hops)
{
    m_writer.Write({.op = 'd',
                    .timeNs = NowNs(),
                    .node = subscriber,
                    .layer = "app",
                    .kind = "OVERHEARD",
                    .peer = ToField(from),
                    .publisher = event.publisher,
                    .sequence = event.sequence,
                    .subscriber = subscriber,
                    .hops = hops});
}

bool
RunTrace::Attached(NodeId node, NodeId parent, std::string_view kind)
{
    if (parent == node)
    {
        return false;
    }
    const auto [known, isFirst] = m_parents.try_emplace(node, parent);
    const auto isAgain = !isFirst && known->second == parent;
    known->second = parent;
    const auto isMigration = !kind.empty() && !isAgain;
    if (isMigration)
    {
        ++m_counters.migrations;
        m_writer.Write({'t', NowNs(), node, "tree", kind, parent});
    }
    else
    {
        m_writer.Write({'+', NowNs(), node, "attachment", isAgain ? "AGAIN" : "SILENT", parent});
    }
    return isMigration;
}

void
RunTrace::Fault(char op, std::string_view kind, NodeId node, NodeId peer)
{
    m_writer.Write({op, NowNs(), node, "fault", kind, ToField(peer)});
}

void
RunTrace::Frame(NodeId node, std::string_view kind, NodeId to, uint32_t bytesOnAir)
{
    ++m_counters.frames[std::string(kind)];
    m_counters.bytesOnAir += bytesOnAir;
    m_writer.Write({'t', NowNs(), node, "radio", kind, ToField(to), bytesOnAir});
}

void
RunTrace::Reachable(NodeId subscriber, EventId event)
{
    m_writer.Write({.op = 'r',
                    .timeNs = NowNs(),
                    .node = subscriber,
                    .layer = "bound",
                    .kind = "REACHABLE",
                    .publisher = event.publisher,
                    .sequence = event.sequence,
                    .subscriber = subscriber});
}

void
RunTrace::Energy(NodeId node, double joules)
{
    const auto early = m_earlyJoules.find(node);
    const auto measured = joules - (early == m_earlyJoules.end() ? 0 : early->second);
    m_writer.Write({'-', NowNs(), node, "energy", std::to_string(std::llround(measured * 1e6))});
}

void
RunTrace::Depth(NodeId broker, double hops)
{
    m_writer.Write({'-', NowNs(), broker, "depth", InThousandths(hops)});
}

void
RunTrace::LargestBranch(double share)
{
    m_writer.Write({'-', NowNs(), -1, "branch", InThousandths(share)});
}

RunCounters
RunTrace::GetCounters(const std::function<void()>& noteRemaining)
{
    auto ledger = m_ledger;
    auto early = m_early;
    noteRemaining();
    auto counters = m_counters;
    counters.undelivered = m_ledger.CountByCause();
    m_ledger = std::move(ledger);
    m_early = std::move(early);
    return counters;
}

void
RunTrace::End()
{
    for (const auto* ledger : {&m_early, &m_ledger})
    {
        for (const auto& [event, subscriber, cause] : ledger->GetLosses())
        {
            m_writer.Write({.op = 'd',
                            .timeNs = NowNs(),
                            .node = -1,
                            .layer = "loss",
                            .kind = GetName(cause),
                            .publisher = event.publisher,
                            .sequence = event.sequence,
                            .subscriber = subscriber});
        }
    }
    m_writer.Write({'-', NowNs(), -1, "run", "END"});
    m_writer.Flush();
}

} // namespace mftpubsub
