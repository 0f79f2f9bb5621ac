/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * The invariants of the mesh (docs/protocols.md), by their numbers.
 */
#include "lab/mesh/mesh-lab.h"
#include "lab/mesh/mesh-words.h"

#include <algorithm>

namespace mftpubsub
{

using mesh::Seconds;
using mesh::Times;

namespace
{

/// Clocks that drift keep an event for less.
constexpr double KEEP_ROUNDING = 0.99;

} // namespace

bool
MeshLab::IsOwed(NodeId subscriber, const Event& event) const
{
    const auto found = m_truth.subscribed.find(subscriber);
    return found != m_truth.subscribed.end() &&
           std::ranges::any_of(found->second, [&](const auto& entry) {
               return entry.second <= m_truth.publishedAt.at(event.id) &&
                      entry.first.Matches(event);
           });
}

void
MeshLab::Check(NodeId node)
{
    if (!m_options.isChecking || !m_devices[node]->mesh)
    {
        return;
    }
    CheckBroker(node);
    CheckSubscriber(node);
    CheckPublisher(node);
}

void
MeshLab::CheckBroker(NodeId node)
{
    const auto* broker = m_devices[node]->mesh->GetBroker();
    if (!broker)
    {
        return;
    }
    for (const auto& [id, event] : m_truth.events)
    {
        if (broker->IsSettled(id))
        {
            CheckSettled(node, *event);
        }
        if (!broker->GetHas().Has(id) || broker->Holds(id))
        {
            continue;
        }
        if (HasExpired(id))
        {
            m_truth.dropped.insert(id);
        }
        else if (!m_truth.dropped.contains(id) && !broker->IsSettled(id))
        {
            Violation("1: " + std::to_string(node) + " has " + Name(id) + " and does not hold it");
        }
    }
    for (const auto& [key, filters] : m_truth.words)
    {
        const auto* word = broker->GetWords().Find(key.first);
        if (word && word->timestamp == key.second &&
            !std::ranges::equal(*word->filters,
                                filters,
                                {},
                                [](const auto& entry) -> const Filter& { return entry.first; }))
        {
            Violation("4: " + std::to_string(node) + " has other filters of " +
                      std::to_string(key.first));
        }
    }
}

void
MeshLab::CheckSettled(NodeId broker, const Event& event)
{
    for (const auto& [subscriber, filters] : m_truth.subscribed)
    {
        const auto* word = GetStation(broker).GetBroker()->GetWords().Find(subscriber);
        const auto memory = m_devices[subscriber]->station
                                ? m_devices[subscriber]->station->GetMemory()
                                : m_devices[subscriber]->memory;
        if (word && memory && word->timestamp == memory->timestamp && IsOwed(subscriber, event) &&
            !HasDelivered(subscriber, event.id) && !m_truth.dropped.contains(event.id))
        {
            Violation("1: " + std::to_string(broker) + " has settled " + Name(event.id) +
                      ", which " + std::to_string(subscriber) + " wants and has not got");
        }
    }
}

void
MeshLab::CheckSubscriber(NodeId node)
{
    const auto* subscriber = m_devices[node]->mesh->GetSubscriber();
    if (!subscriber)
    {
        return;
    }
    for (const auto& [id, event] : m_truth.events)
    {
        if (subscriber->GetMemory().done.Has(id) && !HasDelivered(node, id) &&
            IsOwed(node, *event) && !m_truth.dropped.contains(id))
        {
            Violation("2: " + std::to_string(node) + " is done with " + Name(id) +
                      ", which it wants and has not got");
        }
    }
}

bool
MeshLab::HasExpired(EventId id) const
{
    return m_options.keepSeconds > 0 && m_now - m_truth.publishedAt.at(id) >=
                                            Times(Seconds(m_options.keepSeconds), KEEP_ROUNDING);
}

bool
MeshLab::IsHeld(EventId id) const
{
    return std::ranges::any_of(m_devices, [id](const auto& device) {
        const auto* broker = device && device->mesh ? device->mesh->GetBroker() : nullptr;
        return broker && broker->Holds(id);
    });
}

void
MeshLab::CheckPublisher(NodeId node)
{
    const auto* publisher = m_devices[node]->mesh->GetPublisher();
    if (!publisher)
    {
        return;
    }
    for (const auto& [id, event] : m_truth.events)
    {
        if (id.publisher != node || publisher->Holds(id) || m_truth.lost.contains(id) ||
            m_truth.publishedAt.at(id) >= m_now)
        {
            continue;
        }
        if (HasExpired(id) && !IsHeld(id)) // a broker that took it may have crashed
        {
            m_truth.dropped.insert(id);
        }
        else if (!m_truth.taken.contains(id))
        {
            Violation("3: " + std::to_string(node) + " has let go of " + Name(id) +
                      ", which no broker has");
        }
    }
}

std::vector<std::string>
MeshLab::CheckConverged() const
{
    std::vector<std::string> wrong;
    std::vector<NodeId> brokers;
    for (NodeId node = 0; node < m_devices.size(); ++node)
    {
        if (m_devices[node]->mesh && GetStation(node).GetBroker())
        {
            brokers.push_back(node);
        }
    }
    for (const auto& [id, event] : m_truth.events)
    {
        const auto holds = [&, id = id](NodeId b) { return GetStation(b).GetBroker()->Holds(id); };
        const auto isHeld = std::ranges::any_of(brokers, holds);
        const auto isForgotten =
            !brokers.empty() && !isHeld && m_options.mesh.forgetAfter != mesh::NEVER;
        for (const auto b : brokers)
        {
            if (isHeld && !GetStation(b).GetBroker()->GetHas().Has(id))
            {
                wrong.push_back("6: " + std::to_string(b) + " lacks " + Name(id));
            }
        }
        for (const auto& [subscriber, filters] : m_truth.subscribed)
        {
            if (IsOwed(subscriber, *event) && !HasDelivered(subscriber, id) &&
                !m_truth.lost.contains(id) && !m_truth.dropped.contains(id) && !isForgotten)
            {
                wrong.push_back("7: " + std::to_string(subscriber) + " never gets " + Name(id));
            }
        }
    }
    for (NodeId node = 0; node < m_devices.size(); ++node)
    {
        const auto* mesh = m_devices[node]->mesh;
        const auto* subscriber = mesh ? mesh->GetSubscriber() : nullptr;
        for (const auto b : brokers)
        {
            const auto* word = GetStation(b).GetBroker()->GetWords().Find(node);
            if (subscriber && subscriber->GetMemory().timestamp > 0 &&
                (!word || word->timestamp != subscriber->GetMemory().timestamp))
            {
                wrong.push_back("6: " + std::to_string(b) + " lacks the word of " +
                                std::to_string(node));
            }
        }
    }
    return wrong;
}

void
MeshLab::Violation(const std::string& text)
{
    m_violations.push_back(Time() + " " + text);
    Note("VIOLATION " + text);
}

} // namespace mftpubsub
