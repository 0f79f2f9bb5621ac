/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * What the device tells of a session's frames, and what the neighbour is asked then.
 */
#include "session/session.h"

#include <algorithm>

namespace mftpubsub
{

std::optional<Instant>
Session::Transmitted(SessionContext& context, Instant now, uint64_t ticket, bool isLost)
{
    auto* frame = Find(ticket);
    if (!frame)
    {
        return std::nullopt;
    }
    const auto air = AirTime(context, frame->body.size());
    Postpone(air);
    if (!isLost && IsForDevice(context, *frame))
    {
        return air; // the device will tell
    }
    const auto timeout = AckTimeout(context, *frame);
    frame->deadline = now + timeout;
    frame->latest = now + (context.options.window + context.options.limits.maxPostponed) * timeout;
    return air;
}

Session::Pending*
Session::Find(uint64_t ticket)
{
    const auto frame = std::ranges::find(m_inFlight, ticket, &Pending::ticket);
    return frame == m_inFlight.end() || frame->acknowledged ? nullptr : &*frame;
}

bool
Session::IsForDevice(const SessionContext& context, const Pending& frame) const
{
    return context.options.usesLinkAcks && frame.named != NO_SESSION && frame.named == m_theirs;
}

void
Session::Acknowledged(SessionContext& context,
                      Instant now,
                      uint64_t ticket,
                      TransportOutput& output)
{
    auto* frame = Find(ticket);
    if (!frame || !IsForDevice(context, *frame))
    {
        return; // its receiver acknowledges it itself
    }
    m_isShared = true;
    frame->acknowledged = true;
    WidenWindow(context);
    frame->deadline = m_question ? m_question->until : now + context.options.limits.askAfter;
    if (!m_question && 2 * CountUnsettled() >= context.options.limits.maxUnsettled)
    {
        Ask(context, now, output);
    }
    FillWindow(context, output);
}

size_t
Session::CountUnsettled() const
{
    return std::ranges::count_if(m_inFlight, IsUnsettled);
}

bool
Session::IsUnsettled(const Pending& frame)
{
    return frame.acknowledged && frame.deadline;
}

/// Frames come in the order of sending: the last one does for those before.
void
Session::Owe(const SessionContext& context, Instant now, uint8_t sequence, TransportOutput& output)
{
    const auto& limits = context.options.limits;
    auto& owed = m_incoming.owed
                     ? *m_incoming.owed
                     : m_incoming.owed.emplace(Owed{sequence, 0, now + limits.ackAfter});
    owed.sequence = sequence;
    if (++owed.frames >= limits.maxOwed)
    {
        Reply(context, KIND_ACK, std::exchange(m_incoming.owed, {})->sequence, output);
    }
}

/// Asked again, the neighbour is asked the same: its answer may be to either.
void
Session::Ask(const SessionContext& context, Instant now, TransportOutput& output)
{
    if (!m_question)
    {
        const auto last = std::ranges::find_if(m_inFlight.rbegin(), m_inFlight.rend(), IsUnsettled);
        m_question = Question{last->sequence}; // the answer does for those before
    }
    auto& question = *m_question;
    const auto doublings =
        std::min<uint32_t>(question.attempts++, context.options.limits.maxDoublings);
    question.until = now + context.options.limits.askAfter * (int64_t{1} << doublings);
    for (auto& frame : m_inFlight)
    {
        if (IsUnsettled(frame))
        {
            frame.deadline = question.until;
        }
    }
    Reply(context, KIND_ASK, question.sequence, output);
}

/// @return whether the neighbour may still answer
bool
Session::AskAgain(const SessionContext& context, Instant now, TransportOutput& output)
{
    if (m_question)
    {
        const auto asked = std::ranges::find(m_inFlight, m_question->sequence, &Pending::sequence);
        if (!context.retry(m_neighbour, asked->kind, m_question->attempts))
        {
            End(context, SessionEnd::GIVEN_UP, output);
            return false;
        }
    }
    Ask(context, now, output);
    return true;
}

/// A device may take for acknowledged what never came: 802.15.4's acknowledgement says neither
/// whose it is nor for whom. Then what came later waits for ever for what is missing. Who is asked
/// for it twice, with nothing in between, says that the session is over: all goes anew in the next
/// one.
void
Session::ReceiveAsk(const SessionContext& context, uint8_t sequence, TransportOutput& output)
{
    if (HasCome(sequence))
    {
        Reply(context, KIND_ACK, sequence, output);
    }
    else if (std::exchange(m_incoming.missed, sequence) == sequence)
    {
        End(context, SessionEnd::RENEWED, output);
        Reply(context, KIND_CLOSED, sequence, output);
    }
}

void
Session::GivenUp(SessionContext& context, Instant now, uint64_t ticket, TransportOutput& output)
{
    auto* frame = Find(ticket);
    if (frame)
    {
        frame->deadline = now;
        frame->latest = now;
        Expire(context, now, output);
    }
}

void
Session::Postpone(Instant span)
{
    for (auto& frame : m_inFlight)
    {
        if (frame.deadline)
        {
            frame.deadline =
                std::max(*frame.deadline, std::min(*frame.deadline + span, frame.latest));
        }
    }
}

} // namespace mftpubsub
