/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "stations/client-roles.h"

#include "protocols/tree/message-codec.h"

#include <utility>

namespace mftpubsub
{

ClientRoles::ClientRoles(std::optional<Subscriber> subscriber,
                         std::optional<Publisher> publisher,
                         std::shared_ptr<FailurePolicy> failure,
                         NodeDescriber describe,
                         TreeServices& services)
    : m_subscriber(std::move(subscriber)),
      m_publisher(std::move(publisher)),
      m_failure(std::move(failure)),
      m_describe(std::move(describe)),
      m_services(services)
{
}

void
ClientRoles::Publish(const EventPtr& event)
{
    std::vector<Send> sends;
    m_publisher->Publish(event, sends);
    m_services.SendAll(sends, false);
}

void
ClientRoles::Subscribe(const Filter& filter)
{
    SubscriberOutput output;
    m_subscriber->Subscribe(filter, output);
    Execute(output);
}

void
ClientRoles::Unsubscribe(const Filter& filter)
{
    SubscriberOutput output;
    m_subscriber->Unsubscribe(filter, output);
    Execute(output);
}

void
ClientRoles::Attach(NodeId broker)
{
    m_broker = broker;
    SubscriberOutput output;
    if (m_subscriber)
    {
        m_subscriber->Attached(broker, output);
    }
    m_services.Attached(broker, Sends(output.sends, Mig::NAME) ? Mig::NAME : "");
    Execute(output);
    if (m_publisher)
    {
        std::vector<Send> sends;
        m_publisher->Attached(broker, sends);
        m_services.SendAll(sends, false);
    }
}

void
ClientRoles::Detach()
{
    m_broker = NO_NODE;
    if (m_subscriber)
    {
        m_subscriber->Detached();
    }
    if (m_publisher)
    {
        m_publisher->Detached();
    }
}

void
ClientRoles::BrokerAlive()
{
    SubscriberOutput output;
    if (m_subscriber)
    {
        m_subscriber->BrokerAlive(output);
    }
    if (m_publisher)
    {
        m_publisher->BrokerAlive(output.sends);
    }
    Execute(output);
}

void
ClientRoles::SessionEnded(NodeId neighbour, SessionEnd why, const std::vector<FailedSend>& failed)
{
    for (const auto& one : failed)
    {
        const auto kind = GetKindName(GetKind(one.send.message));
        const auto action = m_failure->Decide(m_describe(), neighbour, kind, one.failures);
        if (action == FailureAction::RESEND && why == SessionEnd::GIVEN_UP)
        {
            m_services.SendAgain(one);
        }
        else
        {
            DeliveryFailed(one.send);
        }
    }
    if (neighbour != m_broker)
    {
        return;
    }
    if (IsByNeighbour(why))
    {
        Attach(neighbour); // the broker may have forgotten us
    }
    else if (m_subscriber)
    {
        m_subscriber->SessionLost();
    }
}

void
ClientRoles::Receive(NodeId from, const Message& message)
{
    if (m_subscriber)
    {
        SubscriberOutput output;
        m_subscriber->Receive(from, message, output);
        Execute(output);
    }
}

void
ClientRoles::DeliveryFailed(const Send& send)
{
    if (m_publisher && std::holds_alternative<Pub>(send.message))
    {
        m_publisher->DeliveryFailed(send.message);
    }
    else if (m_subscriber)
    {
        m_subscriber->DeliveryFailed(send.to);
    }
}

const Subscriber*
ClientRoles::GetSubscriber() const
{
    return m_subscriber ? &*m_subscriber : nullptr;
}

std::optional<Subscriber>
ClientRoles::TakeSubscriber()
{
    Detach();
    return std::move(m_subscriber);
}

void
ClientRoles::Execute(const SubscriberOutput& output)
{
    for (const auto& [event, from, hops, isDuplicate] : output.deliveries)
    {
        m_services.Delivered(event, from, hops, isDuplicate);
    }
    m_services.SendAll(output.sends, false);
}

} // namespace mftpubsub
