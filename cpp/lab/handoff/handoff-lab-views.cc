/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * What a laboratory of hand-offs shows, and what it finds wrong.
 */
#include "lab/handoff/handoff-lab-state.h"

#include <algorithm>

namespace mftpubsub
{

using namespace handoff;

LabPicture
HandoffLabState::Draw() const
{
    LabPicture picture;
    picture.links = m_wires;
    for (NodeId broker = 1; broker <= m_names.CountBrokers(); ++broker)
    {
        picture.figures.push_back({m_names.Name(broker), "B", true, "", ""});
    }
    for (const auto& [id, subscriber] : m_subscribers)
    {
        const auto name = m_names.Name(id);
        if (m_names.FindSubscriber(name) != id)
        {
            continue; // who had its name before it subscribed again
        }
        picture.figures.push_back({name, "S", true, "", ""});
        for (const auto at : {subscriber.client.GetBroker(), subscriber.client.GetLeaving()})
        {
            if (at != NO_NODE)
            {
                picture.links.emplace_back(m_names.Name(at), name);
            }
        }
        for (const auto& state : GetStates(id))
        {
            const auto blank = state.find(' ');
            auto& knows = picture.figures[m_names.FindBroker(state.substr(0, blank)) - 1].knows;
            knows += (knows.empty() ? "" : "\n") + name + ":" + state.substr(blank);
        }
    }
    return picture;
}

std::vector<std::string>
HandoffLabState::GetStates(NodeId subscriber) const
{
    const auto show = [](const std::string& label, const std::string& list) {
        return list.empty() ? "" : " " + label + "=[" + list + "]";
    };
    std::vector<std::string> lines;
    for (NodeId broker = 1; broker <= m_names.CountBrokers(); ++broker)
    {
        for (const auto& view : m_brokers[broker - 1]->GetCopies())
        {
            if (view.subscriber == subscriber)
            {
                lines.push_back(
                    m_names.Name(broker) + " " + view.state +
                    (view.control == NO_NODE ? "" : " ctrl=" + m_names.Name(view.control)) +
                    show("to", m_names.Name(view.hops)) + (view.hold ? " hold" : "") +
                    show("awaits", m_names.Name(view.awaits)) +
                    show("buf", m_names.Name(view.buffer)) + show("temp", m_names.Name(view.temp)));
            }
        }
    }
    return lines;
}

std::vector<std::string>
HandoffLabState::FindViolations() const
{
    std::vector<std::string> violations;
    for (const auto& [id, subscriber] : m_subscribers)
    {
        for (const auto& event : subscriber.wanted)
        {
            if (!subscriber.client.Has(event) && !WaitsFor(id, subscriber, event))
            {
                violations.push_back("lost: " + m_names.Name(id) + " never got " +
                                     m_names.Name(event));
            }
        }
        CheckCopies(id, subscriber, violations);
    }
    return violations;
}

bool
HandoffLabState::WaitsFor(NodeId id, const Subscriber& subscriber, EventId event) const
{
    const auto holds = [&](const auto& broker) {
        return std::ranges::any_of(broker->GetHeld(), [&](const Pair& held) {
            return held.event == event && held.subscriber == id;
        });
    };
    return subscriber.client.GetBroker() == NO_NODE && std::ranges::any_of(m_brokers, holds);
}

void
HandoffLabState::CheckCopies(NodeId id,
                             const Subscriber& subscriber,
                             std::vector<std::string>& violations) const
{
    const auto isAway = subscriber.client.GetBroker() == NO_NODE;
    for (NodeId broker = 1; broker <= m_names.CountBrokers(); ++broker)
    {
        for (const auto& view : m_brokers[broker - 1]->GetCopies())
        {
            if (view.subscriber != id)
            {
                continue;
            }
            const auto last = subscriber.client.GetLastBroker();
            const auto isStoring = view.state == "ACTIVE" || view.state == "AWAY";
            const auto where =
                m_names.Name(broker) + " is " + view.state + " for " + m_names.Name(id);
            if (!subscriber.isSubscribed)
            {
                violations.push_back("unclaimed: " + where + ", who has unsubscribed");
            }
            else if (isStoring && !isAway)
            {
                violations.push_back("stale: " + where + ", who is connected");
            }
            else if (isStoring && view.control != last)
            {
                violations.push_back("stale: " + where + ", who was at " + m_names.Name(last) +
                                     " last");
            }
            else if ((view.state == "SERVING") != (broker == subscriber.client.GetBroker()))
            {
                violations.push_back("place: " + where + ", who is elsewhere");
            }
        }
    }
}

} // namespace mftpubsub
