/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "session/hop-transport.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace mftpubsub
{

namespace
{

/// Serial number arithmetic (RFC 1982): @return how far @p a is ahead of @p b, negative if behind.
int16_t
Distance(uint16_t a, uint16_t b)
{
    return static_cast<int16_t>(static_cast<uint16_t>(a - b));
}

uint64_t
MakeTicket(NodeId to, uint16_t sequence)
{
    return uint64_t{1} << 32 | uint64_t{to} << 16 | sequence;
}

} // namespace

HopTransport::HopTransport(NodeId self,
                           uint8_t incarnation,
                           TransportOptions options,
                           std::function<double()> uniform,
                           RetryDecision retry)
    : m_self(self),
      m_incarnation(incarnation & 0xf), // as the header has it
      m_options(options),
      m_uniform(std::move(uniform)),
      m_retry(std::move(retry))
{
}

MessageHandle
HopTransport::Send(NodeId to, uint8_t kind, Bytes body, TransportOutput& output)
{
    const size_t room = m_options.maxFrameBytes - FRAME_HEADER_BYTES;
    const auto fragments = std::max<size_t>(1, (body.size() + room - 1) / room);
    if (fragments > std::numeric_limits<uint8_t>::max())
    {
        throw std::length_error("a message of " + std::to_string(body.size()) +
                                " bytes does not fit in 255 frames");
    }
    auto& sender = m_senders[to];
    const auto handle = m_nextHandle++;
    for (size_t i = 0; i < fragments; ++i)
    {
        const auto begin = body.begin() + static_cast<ptrdiff_t>(i * room);
        const auto end =
            body.begin() + static_cast<ptrdiff_t>(std::min((i + 1) * room, body.size()));
        Pending frame;
        frame.message = handle;
        frame.header = {m_self,
                        to,
                        kind,
                        m_incarnation,
                        sender.nextSequence++,
                        0,
                        static_cast<uint8_t>(i),
                        static_cast<uint8_t>(fragments)};
        frame.body.assign(begin, end);
        sender.frames.push_back(std::move(frame));
    }
    FillWindow(sender, output);
    return handle;
}

void
HopTransport::FillWindow(Sender& sender, TransportOutput& output)
{
    const auto count = std::min<size_t>(m_options.window, sender.frames.size());
    for (size_t i = 0; i < count; ++i)
    {
        if (sender.frames[i].attempts == 0)
        {
            Transmit(sender, sender.frames[i], output);
        }
    }
}

void
HopTransport::Transmit(Sender& sender, Pending& frame, TransportOutput& output)
{
    ++frame.attempts;
    frame.deadline.reset();
    const auto base = sender.frames.front().header.sequence;
    frame.header.baseOffset = static_cast<uint8_t>(Distance(frame.header.sequence, base));
    const auto to = frame.header.destination;
    output.frames.push_back({to,
                             EncodeFrame(frame.header, frame.body),
                             MakeTicket(to, frame.header.sequence),
                             frame.message});
}

void
HopTransport::Transmitted(Instant now, uint64_t ticket)
{
    const auto sent = FindFrame(ticket);
    if (!sent || sent->acknowledged)
    {
        return;
    }
    sent->deadline = now + AckTimeout(*sent);
    // Our own frame keeps the channel busy for those who want to acknowledge earlier ones.
    for (auto& [to, sender] : m_senders)
    {
        for (auto& frame : sender.frames)
        {
            if (frame.deadline)
            {
                frame.deadline = std::max(frame.deadline, sent->deadline);
            }
        }
    }
}

HopTransport::Pending*
HopTransport::FindFrame(uint64_t ticket)
{
    const auto sender = m_senders.find(static_cast<NodeId>(ticket >> 16));
    if (sender == m_senders.end())
    {
        return nullptr;
    }
    const auto frame = std::ranges::find_if(sender->second.frames, [&](const Pending& pending) {
        return pending.attempts > 0 && pending.header.sequence == static_cast<uint16_t>(ticket);
    });
    return frame == sender->second.frames.end() ? nullptr : &*frame;
}

HopTransport::Instant
HopTransport::AckTimeout(const Pending& frame) const
{
    // The data frame's air time; then the ACK. Its sender's first carrier sense always fails (the
    // frame that it answers still fills the RSSI window, BEHAVIOUR.md point 10) and costs up to one
    // backoff, a second busy result up to two more (linear backoff, point 19); then its air time.
    // The turnarounds (10 us each) vanish in that. One more backoff at random parts two neighbours
    // whose frames have collided.
    const auto dataBytes = m_options.overheadBytes + FRAME_HEADER_BYTES + frame.body.size();
    const auto ackBytes = m_options.overheadBytes + FRAME_HEADER_BYTES;
    const auto airSeconds = 8.0 * static_cast<double>(dataBytes + ackBytes) / m_options.bitRate;
    const auto waitSeconds = (3.0 + m_uniform()) * m_options.backoffSeconds;
    // An ACK that does not come tells of a busy channel: each attempt waits twice as long as the
    // one before (exponential backoff, as in 802.11 and RFC 6298), else load would breed load.
    const auto doublings = frame.attempts - 1;
    return std::chrono::duration_cast<Instant>(
        std::chrono::duration<double>(std::ldexp(airSeconds + waitSeconds, doublings)));
}

void
HopTransport::Receive(std::span<const uint8_t> frame, TransportOutput& output)
{
    const auto header = DecodeFrameHeader(frame);
    if (header.kind == KIND_ACK)
    {
        ReceiveAck(header, output);
    }
    else
    {
        ReceiveData(header, GetFrameBody(frame), output);
    }
}

void
HopTransport::ReceiveAck(const FrameHeader& header, TransportOutput& output)
{
    const auto found = m_senders.find(header.source);
    if (found == m_senders.end() || header.incarnation != m_incarnation)
    {
        return;
    }
    auto& sender = found->second;
    const auto frame = std::ranges::find_if(sender.frames, [&](const Pending& pending) {
        return pending.attempts > 0 && pending.header.sequence == header.sequence;
    });
    if (frame == sender.frames.end())
    {
        return;
    }
    frame->acknowledged = true;
    frame->deadline.reset();
    while (!sender.frames.empty() && sender.frames.front().acknowledged)
    {
        const auto& first = sender.frames.front();
        if (first.header.fragment + 1 == first.header.fragments)
        {
            output.settled.push_back({first.message, header.source, true});
        }
        sender.frames.pop_front();
    }
    FillWindow(sender, output);
}

void
HopTransport::Acknowledge(const FrameHeader& header, TransportOutput& output) const
{
    // The incarnation echoed is the data sender's: an ACK for its former life means nothing to it.
    const FrameHeader
        ack{m_self, header.source, KIND_ACK, header.incarnation, header.sequence, 0, 0, 1};
    output.frames.push_back({header.source, EncodeFrame(ack, {}), 0, 0});
}

void
HopTransport::ReceiveData(const FrameHeader& header,
                          std::span<const uint8_t> body,
                          TransportOutput& output)
{
    Acknowledge(header, output);
    const uint16_t base = header.sequence - header.baseOffset;
    auto [found, isNew] = m_receivers.try_emplace(header.source);
    auto& receiver = found->second;
    if (isNew || receiver.incarnation != header.incarnation)
    {
        receiver = Receiver{header.incarnation, base, {}, {}, 0};
    }
    if (Distance(base, receiver.expected) > 0)
    {
        SkipTo(receiver, base);
    }
    if (Distance(header.sequence, receiver.expected) < 0)
    {
        return;
    }
    receiver.early.try_emplace(header.sequence, header, Bytes(body.begin(), body.end()));
    while (auto next = receiver.early.extract(receiver.expected))
    {
        ++receiver.expected;
        Assemble(receiver, next.mapped().first, next.mapped().second, output);
    }
}

void
HopTransport::SkipTo(Receiver& receiver, uint16_t sequence) const
{
    receiver.expected = sequence;
    receiver.nextFragment = 0;
    std::erase_if(receiver.early,
                  [&](const auto& early) { return Distance(early.first, sequence) < 0; });
}

void
HopTransport::Assemble(Receiver& receiver,
                       const FrameHeader& header,
                       const Bytes& body,
                       TransportOutput& output) const
{
    if (header.fragment == 0)
    {
        receiver.partial.clear();
        receiver.nextFragment = 0;
    }
    if (header.fragment != receiver.nextFragment)
    {
        return; // the beginning of this message was given up by its sender
    }
    ++receiver.nextFragment;
    receiver.partial.insert(receiver.partial.end(), body.begin(), body.end());
    if (receiver.nextFragment == header.fragments)
    {
        receiver.nextFragment = 0;
        output.received.push_back(
            {header.source, header.kind, std::exchange(receiver.partial, {})});
    }
}

void
HopTransport::Expire(Instant now, TransportOutput& output)
{
    for (auto& [to, sender] : m_senders)
    {
        for (size_t i = 0; i < sender.frames.size(); ++i)
        {
            auto& frame = sender.frames[i];
            if (!frame.deadline || *frame.deadline > now)
            {
                continue;
            }
            if (!m_retry(to, frame.header.kind, frame.attempts))
            {
                GiveUp(to, sender, output);
                break;
            }
            Transmit(sender, frame, output);
        }
    }
}

void
HopTransport::GiveUp(NodeId to, Sender& sender, TransportOutput& output)
{
    // What no frame has carried yet is used again. Else a long backlog would move the numbers so
    // far that the receiver took new frames for old ones (RFC 1982).
    const auto unsent = std::ranges::find_if(sender.frames, [](const Pending& frame) {
        return frame.attempts == 0 && frame.header.fragment == 0;
    });
    if (unsent != sender.frames.end())
    {
        sender.nextSequence = unsent->header.sequence;
    }
    MessageHandle last = 0;
    for (const auto& frame : std::exchange(sender.frames, {}))
    {
        if (frame.message != std::exchange(last, frame.message))
        {
            output.settled.push_back({frame.message, to, false});
        }
    }
}

std::optional<HopTransport::Instant>
HopTransport::NextTimer() const
{
    std::optional<Instant> next;
    for (const auto& [to, sender] : m_senders)
    {
        for (const auto& frame : sender.frames)
        {
            if (frame.deadline && (!next || *frame.deadline < *next))
            {
                next = frame.deadline;
            }
        }
    }
    return next;
}

} // namespace mftpubsub
