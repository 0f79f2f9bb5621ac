/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/handoff/messages.h"

#include <algorithm>

namespace mftpubsub::handoff
{

namespace
{

constexpr uint64_t KIND = 1;
constexpr uint64_t NODE = 2;
constexpr uint64_t EVENT_ID = 6;
constexpr uint64_t SESSION = 4;
constexpr uint64_t TIMESTAMP = 4;
constexpr uint64_t HOPS = 1;
constexpr uint64_t LENGTH = 2; //!< of a list or text

uint64_t
SizeOf(const Value& value)
{
    if (const auto* text = std::get_if<std::string>(&value))
    {
        return LENGTH + text->size();
    }
    return std::holds_alternative<bool>(value) ? 1 : 8;
}

uint64_t
SizeOf(const std::vector<Held>& events)
{
    uint64_t size = 0;
    for (const auto& held : events)
    {
        size += GetSize(*held.event);
    }
    return size;
}

uint64_t
SizeOf(const std::vector<Filter>& filters)
{
    uint64_t size = 0;
    for (const auto& filter : filters)
    {
        size += LENGTH + filter.GetText().size();
    }
    return size;
}

uint64_t
SizeOf(const Neighbours& neighbours)
{
    return NODE * neighbours.size();
}

/// What a message of each kind has besides its kind and its subscriber (ADV: its publisher). The
/// sessions of pro-active-r's requests are added in GetSize(message).
struct Payload
{
    uint64_t operator()(const Sub& m) const
    {
        return LENGTH + m.filter.GetText().size();
    }

    uint64_t operator()(const Reconnect& m) const
    {
        return NODE + EVENT_ID + SESSION + SizeOf(m.filters);
    }

    uint64_t operator()(const Evack&) const
    {
        return EVENT_ID;
    }

    uint64_t operator()(const Fetch&) const
    {
        return SESSION;
    }

    uint64_t operator()(const Subs& m) const
    {
        return LENGTH + SizeOf(m.filters) + (m.mode == Subs::Mode::PASSIVE ? 0 : SESSION);
    }

    uint64_t operator()(const Remove& m) const
    {
        return SESSION + (m.neighbours ? EVENT_ID + LENGTH + SizeOf(*m.neighbours) : 0);
    }

    uint64_t operator()(const Transfer& m) const
    {
        return SESSION + LENGTH + SizeOf(m.events) +
               (m.neighbours ? LENGTH + SizeOf(*m.neighbours) : 0);
    }

    uint64_t operator()(const Activate&) const
    {
        return EVENT_ID;
    }

    uint64_t operator()(const Forward& m) const
    {
        return LENGTH + SizeOf(m.events);
    }

    uint64_t operator()(const Context& m) const
    {
        return 2 * LENGTH + EVENT_ID + SizeOf(m.filters) + SizeOf(m.events);
    }

    uint64_t operator()(const Delete&) const
    {
        return 1;
    }

    uint64_t operator()(const Moved& m) const
    {
        return EVENT_ID + 1 + LENGTH + SizeOf(m.neighbours);
    }

    uint64_t operator()(const MovedAck& m) const
    {
        return 2 * LENGTH + SizeOf(m.neighbours) + SizeOf(m.events);
    }

    /// Of related work: field by field.
    template <Related Kind>
    uint64_t operator()(const Kind& m) const
    {
        uint64_t size = 0;
        if constexpr (requires { m.session; })
        {
            size += SESSION;
        }
        if constexpr (requires { m.broker; })
        {
            size += NODE;
        }
        if constexpr (requires { m.old; })
        {
            size += NODE;
        }
        if constexpr (requires { m.user; })
        {
            size += NODE;
        }
        if constexpr (requires { m.keep; })
        {
            size += 1;
        }
        if constexpr (requires { m.timestamp; })
        {
            size += TIMESTAMP + HOPS;
        }
        if constexpr (requires { m.lastReceived; })
        {
            size += TIMESTAMP;
        }
        if constexpr (requires { m.last; })
        {
            size += LENGTH + EVENT_ID * m.last.GetIds().size();
        }
        if constexpr (requires { m.filters; })
        {
            size += LENGTH + SizeOf(m.filters);
        }
        if constexpr (requires { m.events; })
        {
            size += LENGTH + SizeOf(m.events);
        }
        return size;
    }

    template <typename Other>
    uint64_t operator()(const Other&) const
    {
        return 0;
    }
};

} // namespace

bool
Consumed::Covers(EventId id) const
{
    return std::any_of(m_ids.begin(), m_ids.end(), [&](EventId known) {
        return known.publisher == id.publisher && id.sequence <= known.sequence;
    });
}

void
Consumed::Add(EventId id)
{
    const auto place = std::find_if(m_ids.begin(), m_ids.end(), [&](EventId known) {
        return known.publisher >= id.publisher;
    });
    if (place == m_ids.end() || place->publisher != id.publisher)
    {
        m_ids.insert(place, id);
    }
    else
    {
        place->sequence = std::max(place->sequence, id.sequence);
    }
}

void
Consumed::Add(const Consumed& other)
{
    for (const auto id : other.m_ids)
    {
        Add(id);
    }
}

const std::vector<EventId>&
Consumed::GetIds() const
{
    return m_ids;
}

std::string_view
GetName(const Message& message)
{
    return std::visit([](const auto& m) { return m.NAME; }, message);
}

size_t
CountEvents(const Message& message)
{
    return std::visit(
        [](const auto& m) -> size_t {
            if constexpr (requires { m.events; })
            {
                return m.events.size();
            }
            return 0;
        },
        message);
}

bool
IsBulk(const Message& message)
{
    return std::visit([](const auto& m) { return requires { m.events; }; }, message) ||
           std::holds_alternative<End>(message);
}

uint64_t
GetSize(const Event& event)
{
    uint64_t size = EVENT_ID + event.payloadBytes;
    for (const auto& [name, value] : event.attributes)
    {
        size += LENGTH + name.size() + SizeOf(value);
    }
    return size;
}

uint64_t
GetSize(const Message& message)
{
    if (const auto* pub = std::get_if<Pub>(&message))
    {
        return GetSize(*pub->event) + (pub->subscribers ? LENGTH + SizeOf(*pub->subscribers) : 0);
    }
    if (const auto* nbr = std::get_if<Nbr>(&message))
    {
        return KIND + LENGTH + SizeOf(nbr->neighbours);
    }
    return KIND + NODE + std::visit(Payload{}, message);
}

} // namespace mftpubsub::handoff
