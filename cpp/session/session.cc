/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "session/session.h"

#include <algorithm>
#include <cmath>

namespace mftpubsub
{

namespace
{

SessionNumber
Next(SessionNumber number)
{
    ++number;
    return number == NO_SESSION ? SessionNumber{1} : number;
}

uint8_t
Before(uint8_t sequence)
{
    return static_cast<uint8_t>(sequence + SEQUENCE_NUMBERS - 1) % SEQUENCE_NUMBERS;
}

/// @return how far sequence number @p a is ahead of @p b, modulo SEQUENCE_NUMBERS
uint8_t
Distance(uint8_t a, uint8_t b)
{
    return static_cast<uint8_t>(a + SEQUENCE_NUMBERS - b) % SEQUENCE_NUMBERS;
}

} // namespace

TransportOptions
TellFor(uint8_t heartbeats, TransportOptions options)
{
    options.limits.notices = std::max(options.limits.notices, heartbeats);
    return options;
}

Session::Session(const SessionContext& context, NodeId neighbour, SessionNumber number)
    : m_neighbour(neighbour),
      m_mine(number),
      m_outgoing{context.options.limits.firstSequence, context.options.window},
      m_incoming{context.options.limits.firstSequence, {}, {}, {}, {}}
{
}

void
Session::Send(SessionContext& context,
              MessageHandle handle,
              uint8_t kind,
              Bytes body,
              TransportOutput& output)
{
    m_backlog.push_back({handle, kind, std::move(body), 0});
    FillWindow(context, output);
}

void
Session::FillWindow(SessionContext& context, TransportOutput& output)
{
    const auto window = m_theirs == NO_SESSION ? uint8_t{1} : m_outgoing.window;
    // Sequence numbers have an end: what is further ahead than half of them is taken for old.
    const auto most = std::min<size_t>(window + size_t{context.options.limits.maxUnsettled},
                                       SEQUENCE_NUMBERS / 2);
    while (!m_backlog.empty() && m_inFlight.size() < most &&
           m_inFlight.size() - CountUnsettled() < window)
    {
        m_inFlight.push_back(CutFrame(context));
        Transmit(context, m_inFlight.back(), output);
    }
}

void
Session::WidenWindow(const SessionContext& context)
{
    m_outgoing.window = std::min<uint8_t>(m_outgoing.window + 1, context.options.window);
}

Session::Pending
Session::CutFrame(const SessionContext& context)
{
    auto& message = m_backlog.front();
    const size_t room = context.options.maxFrameBytes - FRAME_HEADER_BYTES;
    const auto size = std::min(room, message.body.size() - message.sent);
    const auto begin = message.body.begin() + static_cast<ptrdiff_t>(message.sent);
    Pending frame;
    frame.message = message.handle;
    frame.kind = message.kind;
    frame.sequence = m_outgoing.next;
    frame.body.assign(begin, begin + static_cast<ptrdiff_t>(size));
    message.sent += size;
    frame.hasMore = message.sent < message.body.size();
    m_outgoing.next = (m_outgoing.next + 1) % SEQUENCE_NUMBERS;
    if (!frame.hasMore)
    {
        m_backlog.pop_front();
    }
    return frame;
}

void
Session::Transmit(SessionContext& context, Pending& frame, TransportOutput& output)
{
    ++frame.attempts;
    frame.deadline.reset();
    m_isTold = true;
    frame.ticket = ++context.tickets << 16 | m_neighbour;
    frame.first = frame.attempts == 1 ? frame.ticket : frame.first;
    frame.named = m_theirs;
    const FrameHeader header{context.self,
                             m_neighbour,
                             frame.kind,
                             m_mine,
                             m_theirs,
                             frame.sequence,
                             frame.hasMore};
    output.frames.push_back(
        {m_neighbour, EncodeFrame(header, frame.body), frame.ticket, frame.message});
}

void
Session::Receive(SessionContext& context,
                 Instant now,
                 const FrameHeader& header,
                 std::span<const uint8_t> body,
                 TransportOutput& output)
{
    const auto isAsk = header.kind == KIND_ASK;
    const auto isData = header.kind != KIND_ACK && header.kind != KIND_CLOSED && !isAsk;
    const auto isFirst = isData && header.sequence == context.options.limits.firstSequence;
    if (header.session == NO_SESSION)
    {
        return; // nobody has this number
    }
    if (header.receiver == m_mine && !m_isTold)
    {
        m_mine = Next(m_mine); // an earlier life of ours has had it
    }
    if (isFirst && IsOfAnotherLife(header, body))
    {
        HasForgotten(context, output);
    }
    Learn(context, header.session, output);
    if (header.receiver != m_mine && !(isFirst && header.receiver == NO_SESSION))
    {
        if (isData || isAsk)
        {
            Reply(context, KIND_CLOSED, header.sequence, output);
        }
        return;
    }
    if (header.receiver == m_mine)
    {
        m_opening.reset();
        m_notices = 0;
    }
    else
    {
        m_opening.emplace(header, Bytes(body.begin(), body.end()));
    }
    if (header.kind == KIND_ACK)
    {
        ReceiveAck(context, header.sequence, output);
    }
    else if (isAsk)
    {
        ReceiveAsk(context, header.sequence, output);
    }
    else if (isData)
    {
        ReceiveData(context, now, header, body, output);
    }
}

bool
Session::IsOfAnotherLife(const FrameHeader& header, std::span<const uint8_t> body) const
{
    if (!m_isShared || (header.receiver != NO_SESSION && header.receiver != m_mine))
    {
        return false;
    }
    if (!m_opening)
    {
        return header.receiver == NO_SESSION;
    }
    const auto& [opening, its] = *m_opening;
    const auto repeats = header.kind == opening.kind && header.hasMore == opening.hasMore &&
                         std::ranges::equal(body, its);
    return header.session == m_theirs && !repeats;
}

void
Session::Learn(SessionContext& context, SessionNumber number, TransportOutput& output)
{
    if (number == m_theirs)
    {
        return;
    }
    const auto hadAnother = m_theirs != NO_SESSION;
    m_theirs = number;
    m_isOfLife = false;
    if (hadAnother && m_isShared)
    {
        End(context, SessionEnd::RENEWED, output);
    }
    else if (hadAnother)
    {
        for (auto& frame : m_inFlight) // it has dropped them, as they named another number
        {
            Transmit(context, frame, output);
        }
    }
}

void
Session::HearLife(const SessionContext& context, SessionNumber life, TransportOutput& output)
{
    const auto isAnother = m_life != life;
    // A number that came since the last broadcast may be of the new life already.
    const auto ahead = static_cast<SessionNumber>(m_theirs - life);
    const auto isKnown = !m_isOfLife && ahead < context.options.limits.earlySessions;
    m_life = life;
    m_isOfLife = m_theirs != NO_SESSION;
    if (isAnother && !isKnown)
    {
        HasForgotten(context, output);
    }
}

void
Session::HasForgotten(const SessionContext& context, TransportOutput& output)
{
    if (m_isShared) // else there is nothing that it could have forgotten
    {
        m_theirs = NO_SESSION;
        m_isOfLife = false;
        End(context, SessionEnd::RESTARTED, output);
        m_notices = context.options.limits.notices; // in case that it has not restarted since
    }
}

void
Session::Reply(const SessionContext& context,
               uint8_t kind,
               uint8_t sequence,
               TransportOutput& output)
{
    m_isTold = true;
    const FrameHeader header{context.self, m_neighbour, kind, m_mine, m_theirs, sequence, false};
    output.frames.push_back({m_neighbour, EncodeFrame(header, {}), 0, 0});
}

void
Session::ReceiveAck(SessionContext& context, uint8_t sequence, TransportOutput& output)
{
    const auto frame = std::ranges::find(m_inFlight, sequence, &Pending::sequence);
    if (frame == m_inFlight.end())
    {
        return;
    }
    m_isShared = true;
    if (!std::exchange(frame->acknowledged, true))
    {
        WidenWindow(context);
    }
    frame->deadline.reset();
    for (auto& earlier : m_inFlight)
    {
        if (earlier.acknowledged && earlier.ticket < frame->first)
        {
            earlier.deadline.reset(); // it had come before this one was sent at all
        }
    }
    const auto isAsked = [this](const Pending& one) {
        return m_question && IsUnsettled(one) && one.sequence == m_question->sequence;
    };
    if (std::ranges::none_of(m_inFlight, isAsked))
    {
        m_question.reset();
    }
    Settle(context, output);
}

void
Session::Settle(SessionContext& context, TransportOutput& output)
{
    while (!m_inFlight.empty() && m_inFlight.front().acknowledged && !m_inFlight.front().deadline)
    {
        if (!m_inFlight.front().hasMore)
        {
            output.events.push_back(DeliveredMessage{m_inFlight.front().message, m_neighbour});
        }
        m_inFlight.pop_front();
    }
    FillWindow(context, output);
}

void
Session::ReceiveData(const SessionContext& context,
                     Instant now,
                     const FrameHeader& header,
                     std::span<const uint8_t> body,
                     TransportOutput& output)
{
    m_isShared = true;
    const auto isOwed = context.options.usesLinkAcks && header.receiver == m_mine;
    if (!isOwed)
    {
        Reply(context, KIND_ACK, header.sequence, output);
    }
    const auto isOld = HasCome(header.sequence);
    if (!isOld)
    {
        m_incoming.early.try_emplace(header.sequence, header, Bytes(body.begin(), body.end()));
        HandOver(output);
    }
    // One acknowledgement does for all before: not where one of these is missing.
    if (isOwed && (isOld || m_incoming.early.empty()))
    {
        Owe(context, now, isOld ? header.sequence : Before(m_incoming.expected), output);
    }
}

bool
Session::HasCome(uint8_t sequence) const
{
    return Distance(sequence, m_incoming.expected) >= SEQUENCE_NUMBERS / 2;
}

void
Session::HandOver(TransportOutput& output)
{
    while (auto next = m_incoming.early.extract(m_incoming.expected))
    {
        m_incoming.missed.reset();
        m_incoming.expected = (m_incoming.expected + 1) % SEQUENCE_NUMBERS;
        const auto& [frame, part] = next.mapped();
        m_incoming.partial.insert(m_incoming.partial.end(), part.begin(), part.end());
        if (!frame.hasMore)
        {
            output.events.push_back(
                ReceivedMessage{m_neighbour, frame.kind, std::exchange(m_incoming.partial, {})});
        }
    }
}

Instant
Session::AirTime(const SessionContext& context, size_t bodyBytes)
{
    const auto& timing = context.options.timing;
    const auto bytes = timing.overheadBytes + FRAME_HEADER_BYTES + bodyBytes;
    return timing.AirTime(static_cast<uint32_t>(bytes));
}

Instant
Session::AckTimeout(const SessionContext& context, const Pending& frame)
{
    // The data frame's air time; then the ACK. Its sender's first carrier sense always fails (the
    // frame that it answers still fills the RSSI window, BEHAVIOUR point 10) and costs up to one
    // backoff, a second busy result up to two more (linear backoff, point 19); then its air time.
    // The turnarounds (10 us each) vanish in that. One more backoff at random parts two neighbours
    // whose frames have collided.
    const std::chrono::duration<double> air =
        AirTime(context, frame.body.size()) + AirTime(context, 0);
    const auto& limits = context.options.limits;
    const auto wait =
        (limits.ackBackoffs + context.uniform()) * context.options.timing.backoffSeconds;
    // An ACK that does not come tells of a busy channel: each attempt waits twice as long as the
    // one before (exponential backoff, as in 802.11 and RFC 6298), else load would breed load.
    const auto doublings = std::min<uint32_t>(frame.attempts - 1, limits.maxDoublings);
    return std::chrono::duration_cast<Instant>(
        std::chrono::duration<double>(std::ldexp(air.count() + wait, static_cast<int>(doublings))));
}

void
Session::Expire(SessionContext& context, Instant now, TransportOutput& output)
{
    if (m_incoming.owed && m_incoming.owed->until <= now)
    {
        Reply(context, KIND_ACK, std::exchange(m_incoming.owed, {})->sequence, output);
    }
    const auto isDue = [now](const Pending& frame) {
        return frame.deadline && *frame.deadline <= now;
    };
    const auto isToBeAsked = [&](const Pending& frame) {
        return frame.acknowledged && isDue(frame);
    };
    if (std::ranges::any_of(m_inFlight, isToBeAsked) && !AskAgain(context, now, output))
    {
        return;
    }
    for (auto& frame : m_inFlight)
    {
        if (!isDue(frame))
        {
            continue;
        }
        if (!context.retry(m_neighbour, frame.kind, frame.attempts))
        {
            End(context, SessionEnd::GIVEN_UP, output);
            return;
        }
        Transmit(context, frame, output);
    }
}

void
Session::Close(const SessionContext& context, TransportOutput& output)
{
    if (m_isShared || IsWaiting())
    {
        End(context, SessionEnd::CLOSED, output);
    }
}

void
Session::End(const SessionContext& context, SessionEnd why, TransportOutput& output)
{
    SessionEnded ended{m_neighbour, why, {}};
    m_question.reset();
    m_incoming.owed.reset();
    for (const auto& frame : std::exchange(m_inFlight, {}))
    {
        if (ended.failed.empty() || ended.failed.back() != frame.message)
        {
            ended.failed.push_back(frame.message);
        }
    }
    for (const auto& message : std::exchange(m_backlog, {}))
    {
        if (ended.failed.empty() || ended.failed.back() != message.handle)
        {
            ended.failed.push_back(message.handle);
        }
    }
    m_mine = Next(m_mine);
    m_isTold = false;
    m_outgoing.window = 1;
    const auto& limits = context.options.limits;
    m_notices =
        why == SessionEnd::RENEWED ? uint8_t{0} : limits.notices; // it ended it: it will ask
    m_isShared = false;
    m_opening.reset();
    m_outgoing.next = limits.firstSequence;
    m_incoming.expected = limits.firstSequence;
    m_incoming.missed.reset();
    m_incoming.early.clear();
    m_incoming.partial.clear();
    output.events.push_back(std::move(ended));
}

std::optional<Instant>
Session::NextTimer() const
{
    auto next = m_incoming.owed ? std::optional(m_incoming.owed->until) : std::nullopt;
    for (const auto& frame : m_inFlight)
    {
        if (frame.deadline && (!next || *frame.deadline < *next))
        {
            next = frame.deadline;
        }
    }
    return next;
}

bool
Session::IsWaiting() const
{
    return !m_inFlight.empty() || m_incoming.owed;
}

bool
Session::HasNotice() const
{
    return m_notices > 0;
}

std::optional<SessionNumber>
Session::TakeNotice()
{
    if (!HasNotice())
    {
        return std::nullopt;
    }
    --m_notices;
    m_isTold = true;
    return m_mine;
}

} // namespace mftpubsub
