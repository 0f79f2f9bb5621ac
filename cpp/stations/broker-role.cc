/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "stations/broker-role.h"

#include "stations/event-fates.h"

#include <algorithm>
#include <utility>

namespace mftpubsub
{

BrokerRole::BrokerRole(NodeId self,
                       BrokerOverlay overlay,
                       std::unique_ptr<Broker> machine,
                       std::shared_ptr<FailurePolicy> failure,
                       TreeServices& services)
    : m_self(self),
      m_overlay(std::move(overlay)),
      m_machine(std::move(machine)),
      m_failure(std::move(failure)),
      m_services(services)
{
}

void
BrokerRole::Start(Instant now)
{
    OverlayOutput output;
    m_overlay.Start(now, output);
    Execute(now, output);
}

void
BrokerRole::ReceiveHeartbeat(Instant now, NodeId from, const Heartbeat& heartbeat, double rssiDbm)
{
    OverlayOutput output;
    m_overlay.Receive(now, from, heartbeat, rssiDbm, output);
    Execute(now, output);
    Alive(now, from);
}

void
BrokerRole::Receive(Instant now, NodeId from, const Message& message)
{
    NoteChild(now, from, message);
    if (from != m_self && !m_overlay.IsNeighbour(from) && IsAmongNeighbours(from, message))
    {
        return;
    }
    Alive(now, from);
    if (const auto* pub = std::get_if<Pub>(&message))
    {
        m_services.GetLog().Taken(pub->event->id);
    }
    BrokerOutput output;
    m_machine->Step(now, input::Received<Message>{from, message}, output);
    Execute(output);
}

void
BrokerRole::NoteChild(Instant now, NodeId from, const Message& message)
{
    if (ComesFromChild(from, message))
    {
        OverlayOutput output;
        m_overlay.ChildJoined(now, from, output);
        Execute(now, output);
    }
}

void
BrokerRole::Alive(Instant now, NodeId neighbour)
{
    if (m_overlay.IsNeighbour(neighbour))
    {
        BrokerOutput output;
        m_machine->Step(now, input::NeighbourAlive{neighbour}, output);
        Execute(output);
    }
}

void
BrokerRole::SessionEnded(Instant now,
                         NodeId neighbour,
                         SessionEnd why,
                         const std::vector<FailedSend>& failed)
{
    std::vector<FailedSend> again;
    std::vector<Message> lost;
    auto isLinkLost = false;
    for (const auto& one : failed)
    {
        const auto kind = GetName(one.send.message);
        const auto action =
            why == SessionEnd::GIVEN_UP
                ? m_failure->Decide(m_overlay.Describe(now), neighbour, kind, one.failures)
                : FailureAction::KEEP_LINK;
        isLinkLost = isLinkLost || action == FailureAction::DROP_LINK;
        if (action == FailureAction::RESEND)
        {
            again.push_back(one);
        }
        else
        {
            lost.push_back(one.send.message);
        }
    }
    BrokerOutput output;
    if (isLinkLost)
    {
        OverlayOutput dropped;
        m_overlay.LinkFailed(neighbour, dropped);
        Execute(now, dropped);
    }
    else if (m_overlay.IsNeighbour(neighbour))
    {
        m_machine->Step(now, input::LinkReset{neighbour}, output);
    }
    for (const auto& message : lost)
    {
        NoteFate(m_services.GetLog(), message, LossCause::RADIO);
        m_machine->Step(now, input::DeliveryFailed{neighbour, message}, output);
    }
    Execute(output);
    if (why == SessionEnd::RESTARTED && neighbour == m_overlay.GetParent())
    {
        Migrate(now, {neighbour, neighbour}); // it has forgotten who is below it
    }
    if (IsByNeighbour(why))
    {
        Alive(now, neighbour);
    }
    for (const auto& one : again)
    {
        m_services.SendAgain(one);
    }
}

void
BrokerRole::Execute(Instant now, const OverlayOutput& output)
{
    for (const auto& heartbeat : output.broadcasts)
    {
        m_services.BroadcastHeartbeat(heartbeat);
    }
    for (const auto neighbour : output.linksDown)
    {
        BrokerOutput answer;
        m_machine->Step(now, input::LinkDown{neighbour}, answer);
        Execute(answer);
        m_services.CloseSession(neighbour);
    }
    for (const auto neighbour : output.linksUp)
    {
        BrokerOutput answer;
        m_machine->Step(now, input::LinkUp{neighbour}, answer);
        Execute(answer);
    }
    if (output.parentChange)
    {
        Migrate(now, *output.parentChange);
    }
}

void
BrokerRole::Migrate(Instant now, const ParentChange& change)
{
    BrokerOutput migration;
    m_machine->Step(now, input::ParentChanged{change.previous, change.current}, migration);
    if (change.current != NO_NODE)
    {
        m_services.Attached(change.current, Sends(migration.sends, Bmig::NAME) ? Bmig::NAME : "");
    }
    Execute(migration);
}

void
BrokerRole::Execute(const BrokerOutput& output)
{
    auto& log = m_services.GetLog();
    for (const auto& match : output.matches)
    {
        log.Matched(m_self, match.event, match.subscriber);
    }
    for (const auto& drop : output.drops)
    {
        log.Fate(drop.event, drop.subscriber, LossCause::DROPPED_BY_QUEUE);
    }
    for (const auto& send : output.sends)
    {
        if (std::holds_alternative<Rep>(send.message)) // whatever kept its events has let go
        {
            NoteFate(log, send.message, LossCause::STRANDED);
        }
    }
    m_services.SendAll(output.sends, true);
}

void
BrokerRole::Expire(Instant now)
{
    if (now >= m_overlay.NextTimer())
    {
        OverlayOutput output;
        m_overlay.Expire(now, output);
        Execute(now, output);
    }
    if (const auto timer = m_machine->NextTimer(); timer && now >= *timer)
    {
        BrokerOutput output;
        m_machine->Step(now, input::Expired(), output);
        Execute(output);
    }
}

Instant
BrokerRole::NextTimer() const
{
    const auto overlay = m_overlay.NextTimer();
    return std::min(overlay, m_machine->NextTimer().value_or(overlay));
}

const BrokerOverlay&
BrokerRole::GetOverlay() const
{
    return m_overlay;
}

const Broker&
BrokerRole::GetMachine() const
{
    return *m_machine;
}

} // namespace mftpubsub
