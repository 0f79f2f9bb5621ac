/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/publisher.h"

#include "protocols/mesh/giving-up.h"
#include "protocols/mesh/sums.h"

#include <algorithm>
#include <utility>

namespace mftpubsub::mesh
{

Publisher::Publisher(const Context& context, QueueOptions queue)
    : m_context(context),
      m_pace(context),
      m_gathering(context),
      m_queue(std::move(queue)),
      m_distances(context.options.limits.distance, context.places)
{
}

void
Publisher::Publish(Instant now, const EventPtr& event)
{
    const auto at = MayMix() ? m_gathering.Publish(now, event) : now;
    for (auto& [id, held] : m_held)
    {
        held.nextAt = held.sent == 0 ? std::min(held.nextAt, at) : held.nextAt;
    }
    m_held[event->id] = {event, now, 0, at};
    ApplyPolicy(now);
}

void
Publisher::Recall(const EventPtr& event, Instant since)
{
    m_held[event->id] = {event, since, m_context.options.limits.publisher.retries + 1, NEVER, true};
}

void
Publisher::Receive(Instant now, const Frame& frame, double link)
{
    NoteDistances(now, frame, link);
    const auto hear = [&](const std::optional<State>& state,
                          const std::vector<CarriedEvent>& events) {
        HearEvents(events);
        if (state)
        {
            HearState(now, *state);
        }
    };
    if (const auto* heartbeat = std::get_if<Heartbeat>(&frame.body))
    {
        HearState(now, heartbeat->state);
    }
    else if (const auto* pub = std::get_if<Pub>(&frame.body))
    {
        hear(pub->state, pub->events);
    }
    else if (const auto* rep = std::get_if<Rep>(&frame.body))
    {
        hear(rep->state, rep->events);
    }
    else if (const auto* mix = std::get_if<Mix>(&frame.body))
    {
        for (const auto id : GetMixed(*mix))
        {
            m_held.erase(id);
        }
        hear(mix->state, {});
    }
    else if (const auto* blocks = std::get_if<BlockMix>(&frame.body))
    {
        hear(blocks->state, {});
    }
}

void
Publisher::NoteDistances(Instant now, const Frame& frame, double link)
{
    const auto note = [&](const std::optional<State>& state,
                          const std::vector<CarriedEvent>& events) {
        for (const auto& carried : events)
        {
            m_distances.NotePath(now, carried.path, link);
        }
        if (state)
        {
            m_distances.Note(now, state->distances, link);
        }
    };
    if (std::holds_alternative<Hello>(frame.body) || std::holds_alternative<Nack>(frame.body))
    {
        m_distances.Note(now, frame.header.source, link);
    }
    else if (const auto* heartbeat = std::get_if<Heartbeat>(&frame.body))
    {
        note(heartbeat->state, {});
    }
    else if (const auto* pub = std::get_if<Pub>(&frame.body))
    {
        note(pub->state, pub->events);
    }
    else if (const auto* rep = std::get_if<Rep>(&frame.body))
    {
        note(rep->state, rep->events);
    }
    else if (const auto* mix = std::get_if<Mix>(&frame.body))
    {
        note(mix->state, {});
    }
    else if (const auto* blocks = std::get_if<BlockMix>(&frame.body))
    {
        note(blocks->state, {});
    }
}

bool
Publisher::MayMix() const
{
    return mesh::MayMix(m_queue.policy.get(), m_context.options.limits.givingUp);
}

void
Publisher::ApplyPolicy(Instant now)
{
    if (!m_queue.policy)
    {
        return; // gathering what is held takes time
    }
    std::vector<HeldEvent> events;
    for (const auto& [id, held] : m_held)
    {
        events.push_back({id, held.since, held.event->payloadBytes});
    }
    for (const auto id : GiveUp(m_queue, now, std::move(events)))
    {
        m_held.erase(id);
    }
}

void
Publisher::HearEvents(const std::vector<CarriedEvent>& events)
{
    for (const auto& carried : events)
    {
        m_held.erase(carried.event->id); // who sends an event of ours has it, and is a broker
    }
}

void
Publisher::HearState(Instant now, const State& state)
{
    std::erase_if(m_held, [&state](const auto& entry) {
        const auto& [id, held] = entry;
        return SaysItHolds(state, id) || (held.isRecalled && state.has.GetSummary().Has(id));
    });
    for (auto& [id, held] : m_held)
    {
        if (held.nextAt == NEVER)
        {
            held.nextAt =
                now + m_context.Draw(Instant(0), m_context.options.limits.publisher.stateJitter);
        }
    }
}

Instant
Publisher::Due(Turn turn) const
{
    auto due = NEVER;
    if (turn == Turn::OWN_EVENTS)
    {
        due = m_context.blocks->UnheardAt();
        for (const auto& [id, held] : m_held)
        {
            const auto soonest =
                held.sent == 0
                    ? std::max(held.nextAt, m_pace.Due())
                    : std::max(held.nextAt,
                               m_sentAt +
                                   m_context.Stretch(m_context.options.limits.publisher.retryGap));
            due = std::min(due, soonest);
        }
    }
    return due;
}

/// A block of its own that no broker seems to have heard, or new events that were gathered.
std::optional<Outgoing>
Publisher::BuildBlock(Instant now)
{
    const auto& limits = m_context.options.limits;
    if (m_context.blocks->UnheardAt() <= now)
    {
        return Outgoing{NO_NODE, m_context.blocks->RepeatUnheard(now)};
    }
    if (!MayMix() || m_pace.Due() > now)
    {
        return {};
    }
    std::vector<EventPtr> fresh;
    for (const auto& [id, held] : m_held)
    {
        if (held.sent == 0 && held.nextAt <= now)
        {
            fresh.push_back(held.event);
        }
    }
    std::vector<CarriedEvent> block;
    for (const auto& event : m_gathering.ChooseBlock(now, std::move(fresh)))
    {
        block.push_back({event, 0});
        auto& held = m_held.at(event->id);
        held.sent = 1;
        held.nextAt = now + limits.block.window;
        m_gathering.Went(event->id);
        m_pace.Take(now);
    }
    if (block.empty())
    {
        return {};
    }
    m_sentAt = now;
    return Outgoing{NO_NODE, m_context.blocks->MakeBlock(now, m_context.self, block)};
}

std::optional<Outgoing>
Publisher::Build(Instant now, Turn)
{
    const auto& limits = m_context.options.limits.publisher;
    ApplyPolicy(now);
    if (auto block = BuildBlock(now))
    {
        return block;
    }
    const auto& frame = m_context.options.limits.frame;
    Pub pub;
    auto bytes = EVENTS_BYTES;
    auto isOpen = false;
    auto most = m_context.options.maxFrameBytes;
    for (auto& [id, held] : m_held)
    {
        if (held.nextAt > now || (held.sent == 0 && m_pace.Due() > now))
        {
            continue;
        }
        const CarriedEvent carried{held.event, 1};
        bytes += CountBytes(carried);
        const auto inVain = held.sent - std::min(held.sent, limits.retries + 1);
        most = std::min(most, m_context.options.maxFrameBytes >> std::min(inVain, frame.halvings));
        if (pub.events.size() >= frame.events || (!pub.events.empty() && bytes > most))
        {
            break;
        }
        pub.events.push_back(carried);
        if (held.sent == 0)
        {
            m_gathering.Went(id);
            m_pace.Take(now);
        }
        const auto factor = 1 + limits.retryJitter * (2 * m_context.uniform() - 1);
        held.nextAt = held.sent < limits.retries
                          ? now + m_context.Stretch(Times(limits.retry * (1 << held.sent), factor))
                          : NEVER;
        isOpen = isOpen || held.sent > 0;
        ++held.sent;
    }
    if (pub.events.empty())
    {
        return {}; // the policy has given up what was due
    }
    m_sentAt = now;
    const auto left = most - std::min(bytes, most);
    pub.distances = m_distances.GetNearest(now, std::min(frame.distances, left / 3));
    return Outgoing{NO_NODE, std::move(pub), isOpen};
}

} // namespace mftpubsub::mesh
