/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/own/hook-station.h"

#include "content/content-codec.h"
#include "protocols/own/hook-bytes.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace mftpubsub::mesh
{

namespace
{

/// What a hook answers that has failed.
constexpr int64_t UNANSWERED = 0;

} // namespace

StationFailure::StationFailure()
    : std::runtime_error("a protocol has failed")
{
}

HookStation::HookStation(StationSeat seat, const StationHooks& hooks)
    : SimpleStation(std::move(seat), SplitKinds(hooks.kinds)),
      m_hooks(hooks)
{
}

bool
HookStation::Locate(const void* station, double* position)
{
    const auto found = static_cast<const HookStation*>(station)->GetPosition();
    if (found)
    {
        std::ranges::copy(std::array{found->x, found->y, found->z}, position);
    }
    return found.has_value();
}

void
HookStation::Call(StationInput what, const Bytes& input, double rssiDbm)
{
    if (input.size() > m_hooks.capacity)
    {
        throw StationFailure();
    }
    std::ranges::copy(input, m_hooks.input);
    *m_hooks.view = {GetLoad(), this, &HookStation::Locate};
    const auto answer =
        m_hooks.call(static_cast<uint32_t>(what), GetId(), Now().count(), input.size(), rssiDbm);
    m_hooks.view->station = nullptr;
    if (answer == UNANSWERED)
    {
        throw StationFailure();
    }
    // A copy: what follows may ask again.
    const Bytes effects(m_hooks.effects, m_hooks.effects + (answer - 1));
    ByteReader in(effects);
    while (!in.IsAtEnd())
    {
        Execute(static_cast<StationEffect>(in.Get<uint8_t>()), in);
    }
}

void
HookStation::Execute(StationEffect effect, ByteReader& in)
{
    switch (effect)
    {
    case StationEffect::WISHES:
        m_wishes = in.Get<uint8_t>();
        break;
    case StationEffect::SEND:
        ExecuteSend(in);
        break;
    case StationEffect::DELIVER: {
        const auto sender = in.Get<NodeId>();
        const auto hops = in.Get<uint8_t>();
        const auto wire = ReadBytes(in, in.Get<uint16_t>());
        ByteReader event(wire);
        Deliver(ReadEvent(event), sender, hops);
        break;
    }
    case StationEffect::COPY: {
        const auto id = ReadId(in);
        const auto sender = in.Get<NodeId>();
        DeliverCopy(id, sender, in.Get<uint8_t>());
        break;
    }
    case StationEffect::TAKE:
        Take(ReadId(in));
        break;
    case StationEffect::MATCH: {
        const auto id = ReadId(in);
        Match(id, in.Get<NodeId>());
        break;
    }
    case StationEffect::HOLD: {
        const auto id = ReadId(in);
        Hold(id, in.Get<NodeId>());
        break;
    }
    case StationEffect::GIVE_UP: {
        const auto id = ReadId(in);
        GiveUp(id, in.Get<NodeId>());
        break;
    }
    case StationEffect::SET: {
        const auto key = in.Get<uint64_t>();
        SetTimer(key, Instant(in.Get<int64_t>()));
        break;
    }
    case StationEffect::CANCEL:
        CancelTimer(in.Get<uint64_t>());
        break;
    }
}

void
HookStation::ExecuteSend(ByteReader& in)
{
    OwnMessage message;
    message.kind = in.Get<uint8_t>();
    message.to = in.Get<NodeId>();
    message.events = ReadIds(in);
    message.body = ReadBytes(in, in.Get<uint16_t>());
    if (m_isAskedForNext && !m_next)
    {
        m_next = std::move(message);
    }
    else
    {
        Broadcast(std::move(message));
    }
}

void
HookStation::CallWithFrame(StationInput what,
                           const OwnMessage& message,
                           NodeId sender,
                           double rssiDbm)
{
    ByteWriter frame;
    frame.Put(message.kind);
    frame.Put(sender);
    frame.Put(message.to);
    auto bytes = frame.Take();
    bytes.insert(bytes.end(), message.body.begin(), message.body.end());
    Call(what, bytes, rssiDbm);
}

void
HookStation::CallWithFilter(StationInput what, const Filter& filter)
{
    const auto& text = filter.GetText();
    Call(what, {text.begin(), text.end()});
}

void
HookStation::OnStart()
{
    ByteWriter seat;
    seat.Put(GetSeat().roles);
    seat.Put(static_cast<uint32_t>(Draw() * 4294967296.0));
    seat.Put(static_cast<uint32_t>(Draw() * 4294967296.0));
    seat.Put(static_cast<uint16_t>(GetMaxBytes()));
    seat.Put(GetSeat().nodes);
    Call(StationInput::START, seat.Take());
}

void
HookStation::OnPublish(const EventPtr& event)
{
    ByteWriter out;
    WriteEvent(out, *event);
    Call(StationInput::PUBLISH, out.Take());
}

void
HookStation::OnReceive(const OwnMessage& message, NodeId sender, double rssiDbm)
{
    CallWithFrame(StationInput::RECEIVE, message, sender, rssiDbm);
}

void
HookStation::OnOverhear(const OwnMessage& message, NodeId sender, double rssiDbm)
{
    if (m_wishes & WANTS_OVERHEARD)
    {
        CallWithFrame(StationInput::OVERHEAR, message, sender, rssiDbm);
    }
}

void
HookStation::OnTimer(uint64_t key)
{
    ByteWriter out;
    out.Put(key);
    Call(StationInput::TIMER, out.Take());
}

void
HookStation::OnSubscribed(const Filter& filter)
{
    CallWithFilter(StationInput::SUBSCRIBED, filter);
}

void
HookStation::OnUnsubscribed(const Filter& filter)
{
    CallWithFilter(StationInput::UNSUBSCRIBED, filter);
}

void
HookStation::OnDropped(const OwnMessage& message)
{
    if (m_wishes & WANTS_DROPPED)
    {
        CallWithFrame(StationInput::DROPPED, message, GetId(), 0);
    }
}

std::optional<OwnMessage>
HookStation::NextMessage()
{
    if (m_wishes & WANTS_NEXT)
    {
        m_isAskedForNext = true;
        Call(StationInput::NEXT, {});
        m_isAskedForNext = false;
    }
    return std::exchange(m_next, std::nullopt);
}

} // namespace mftpubsub::mesh
