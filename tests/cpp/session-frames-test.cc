/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * One end of sessions, frame by frame: what it answers to frames that a neighbour may send.
 */
#include "function-case.h"
#include "session/message-parts.h"
#include "two-nodes.h"

#include "ns3/test.h"

namespace mftpubsub::session_frames_test
{

using namespace std::chrono_literals;

namespace
{

constexpr NodeId CAROL = 3;
constexpr SessionNumber BOBS = 500; //!< number

/// Alice's sessions, her neighbours' frames, and what she makes of them.
class Alice
{
  public:
    explicit Alice(TransportOptions options = SmallFrames())
        : sessions(
              ALICE,
              options,
              [] { return 0.5; },
              [](NodeId, uint8_t, uint32_t attempts) { return attempts <= 6; })
    {
    }

    /// A frame of @p from whose sender has @p number and knows @p known of Alice's
    void Hear(NodeId from,
              SessionNumber number,
              SessionNumber known,
              uint8_t sequence,
              const std::string& text,
              uint8_t kind = MESSAGE_KIND,
              bool hasMore = false)
    {
        const FrameHeader header{from, ALICE, kind, number, known, sequence, hasMore};
        TransportOutput output;
        sessions.Receive(now, EncodeFrame(header, Bytes(text.begin(), text.end())), output);
        Note(output);
    }

    void HearBroadcast(NodeId from, SessionNumber life)
    {
        TransportOutput output;
        sessions.ReceiveBroadcast(from, life, {}, output);
        Note(output);
    }

    /// @return the ticket of the first frame
    uint64_t Send(NodeId to)
    {
        TransportOutput output;
        sessions.Send(++m_handle, to, MESSAGE_KIND, Bytes(5), output);
        Note(output);
        return output.frames.empty() ? 0 : output.frames.front().ticket;
    }

    void Close(NodeId neighbour)
    {
        TransportOutput output;
        sessions.Close(neighbour, output);
        Note(output);
    }

    size_t CountSent() const
    {
        return m_sent.size();
    }

    /// @return the header of the frame that she sent last
    FrameHeader GetLast() const
    {
        return DecodeFrameHeader(m_sent.back());
    }

    Sessions sessions;
    Seen seen;
    Instant now{0};

  private:
    void Note(const TransportOutput& output)
    {
        for (const auto& frame : output.frames)
        {
            m_sent.push_back(frame.bytes);
        }
        for (const auto& event : output.events)
        {
            if (const auto* received = std::get_if<ReceivedMessage>(&event))
            {
                seen.received.emplace_back(received->body.begin(), received->body.end());
            }
            else if (const auto* delivered = std::get_if<DeliveredMessage>(&event))
            {
                seen.delivered.push_back(delivered->handle);
            }
            else if (const auto* ended = std::get_if<SessionEnded>(&event))
            {
                seen.ended.push_back(ended->why);
                seen.failed.insert(seen.failed.end(), ended->failed.begin(), ended->failed.end());
            }
        }
    }

    MessageHandle m_handle{0};
    std::vector<Bytes> m_sent;
};

/// A notice has told the new number: who names it is no heir of an earlier life of hers.
void
ANumberToldByANoticeIsNamed(FunctionCase& test)
{
    Alice alice;
    alice.Hear(BOB, BOBS, NO_SESSION, 0, "before");
    alice.Close(BOB);
    const auto notices = alice.sessions.TakeNotices();
    test.Expect(notices.size() == 1 && notices[0].neighbour == BOB, "Bob is to be told");
    alice.Hear(BOB, BOBS + 1, notices[0].number, 0, "after");
    test.Expect(alice.seen.received == std::vector<std::string>{"before", "after"}, "it arrives");
    test.Expect(alice.GetLast().kind == KIND_ACK, "and is acknowledged");
}

void
ANoticeOfNoNumberSaysNothing(FunctionCase& test)
{
    Alice alice;
    alice.Hear(BOB, BOBS, NO_SESSION, 0, "before");
    for (const auto& [number, ends] : {std::pair{NO_SESSION, false}, {BOBS + 1, true}})
    {
        TransportOutput output;
        const SessionNotice notice{ALICE, static_cast<SessionNumber>(number)};
        alice.sessions.ReceiveBroadcast(BOB, BOBS, {notice}, output);
        test.Expect(output.events.empty() != ends, "another number ends the session");
    }
}

/// A number that nobody was told is an earlier life's, if somebody names it.
void
ANumberThatWasNotToldIsAnEarlierLifes(FunctionCase& test)
{
    Alice alice;
    alice.Hear(BOB, BOBS, alice.sessions.GetLife(), 1, "to the life before");
    test.Expect(alice.seen.received.empty(), "it is not for this life");
    test.Expect(alice.GetLast().kind == KIND_CLOSED, "the sender is told");
    test.Expect(alice.GetLast().session != alice.sessions.GetLife(), "of another number");
}

/// @return why sessions ended when Bob, whose frame had a number @p ahead of it, says his life
std::vector<SessionEnd>
HearLifeAfterNumber(SessionNumber ahead)
{
    auto options = SmallFrames();
    options.limits.earlySessions = 4;
    Alice alice(options);
    alice.Hear(BOB, BOBS + ahead, NO_SESSION, 0, "x");
    alice.HearBroadcast(BOB, BOBS);
    return alice.seen.ended;
}

void
ANumberMayComeBeforeTheLifeThatItIsOf(FunctionCase& test)
{
    test.Expect(HearLifeAfterNumber(0).empty(), "the life's first number");
    test.Expect(HearLifeAfterNumber(3).empty(), "the last that counts as early");
    test.Expect(HearLifeAfterNumber(4) == std::vector{SessionEnd::RESTARTED}, "too far ahead");
}

/// Bob restarts; his new life's number comes before the first broadcast of it.
void
ARestartEndsASessionOnce(FunctionCase& test)
{
    Alice alice;
    alice.Hear(BOB, BOBS, NO_SESSION, 0, "old");
    alice.HearBroadcast(BOB, BOBS);
    constexpr SessionNumber NEW = 9000;
    alice.Hear(BOB, NEW, NO_SESSION, 0, "new");
    test.Expect(alice.seen.ended.size() == 1, "the new number ends the old session");
    alice.HearBroadcast(BOB, NEW);
    test.Expect(alice.seen.ended.size() == 1, "the broadcast says nothing new");
    alice.HearBroadcast(BOB, NEW + 1);
    test.Expect(alice.seen.ended.size() == 2, "another life does");
}

/// Bob opened with a message, went on, and restarts with the same number and the same message.
void
AnOpeningIsForgottenOnceItIsAnswered(FunctionCase& test)
{
    Alice alice;
    alice.Hear(BOB, BOBS, NO_SESSION, 0, "x");
    alice.Hear(BOB, BOBS, NO_SESSION, 0, "x");
    test.Expect(alice.seen.received.size() == 1, "a repetition is none of another life");
    alice.Hear(BOB, BOBS, alice.sessions.GetLife(), 1, "y");
    alice.Hear(BOB, BOBS, NO_SESSION, 0, "x");
    test.Expect(alice.seen.ended == std::vector{SessionEnd::RESTARTED}, "he knew her number");
    test.Expect(alice.seen.received == std::vector<std::string>{"x", "y", "x"}, "and it arrives");
}

/// Bob's message took two frames, of which one came; now a message is what that frame had.
void
AnOpeningThatEndsElsewhereIsOfAnotherLife(FunctionCase& test)
{
    Alice alice;
    alice.Hear(BOB, BOBS, NO_SESSION, 0, "x", MESSAGE_KIND, true);
    alice.Hear(BOB, BOBS, NO_SESSION, 0, "x");
    test.Expect(alice.seen.received == std::vector<std::string>{"x"}, "it arrives");
}

/// A window of 64 is on the way, of which the first comes again when the last has come.
void
AFrameOfHalfARoundBeforeIsOld(FunctionCase& test)
{
    Alice alice;
    for (int sequence = 0; sequence < SEQUENCE_NUMBERS; ++sequence)
    {
        if (sequence >= SEQUENCE_NUMBERS / 2)
        {
            alice.Hear(BOB, BOBS, alice.sessions.GetLife(), sequence - SEQUENCE_NUMBERS / 2, "old");
        }
        alice.Hear(BOB, BOBS, sequence == 0 ? NO_SESSION : alice.sessions.GetLife(), sequence, "x");
    }
    test.Expect(alice.seen.received == std::vector<std::string>(SEQUENCE_NUMBERS, "x"),
                "once each");
}

void
AFrameAheadByLessThanHalfARoundIsKept(FunctionCase& test)
{
    Alice alice;
    const auto life = alice.sessions.GetLife();
    alice.Hear(BOB, BOBS, NO_SESSION, 0, "0");
    alice.Hear(BOB, BOBS, life, SEQUENCE_NUMBERS / 2, "last");
    for (uint8_t sequence = 1; sequence < SEQUENCE_NUMBERS / 2; ++sequence)
    {
        alice.Hear(BOB, BOBS, life, sequence, "x");
    }
    test.Expect(alice.seen.received.size() == SEQUENCE_NUMBERS / 2 + 1, "all");
    test.Expect(alice.seen.received.back() == "last", "in order");
}

/// @return how long she waits for each attempt's acknowledgement
std::vector<Instant>
WaitInVain(const TransportOptions& options)
{
    Alice alice(options);
    std::vector<Instant> waits;
    Instant now{0};
    auto ticket = alice.Send(BOB);
    while (ticket != 0)
    {
        alice.sessions.Transmitted(now, ticket);
        waits.push_back(*alice.sessions.NextTimer() - now);
        now += waits.back();
        TransportOutput output;
        alice.sessions.Expire(now, output);
        ticket = output.frames.empty() ? 0 : output.frames.front().ticket;
    }
    return waits;
}

void
TimeoutsDoubleUpToALimit(FunctionCase& test)
{
    auto options = SmallFrames();
    options.limits.maxDoublings = 2;
    const auto waits = WaitInVain(options);
    test.Expect(waits.size() == 7, "the first attempt and six more");
    const std::vector<int> times{1, 2, 4, 4, 4, 4, 4};
    for (size_t i = 0; i < waits.size(); ++i)
    {
        const auto off = waits[i] - times.at(i) * waits[0];
        test.Expect(off < 1us && off > -1us, "wait " + std::to_string(i));
    }
    // 30 B of data and 10 B of acknowledgement, each with 15 B around; 3.5 backoffs
    const auto expected = std::chrono::duration<double>(8 * (15 + 15 + 10 + 15) / 250000. + 0.056);
    test.Expect(std::abs((waits[0] - expected).count()) < 1000, "of the frames' air and backoffs");
}

/// @return by how many timeouts an acknowledgement is late that her own frames hold up
double
HoldUp(uint8_t maxPostponed)
{
    auto options = SmallFrames();
    options.limits.maxPostponed = maxPostponed;
    Alice alice(options);
    alice.sessions.Transmitted(Instant(0), alice.Send(BOB));
    const auto timeout = *alice.sessions.NextTimer();
    for (int i = 0; i < 1000; ++i) // of Carol, who acknowledges at once
    {
        const auto number = static_cast<uint8_t>(i % SEQUENCE_NUMBERS);
        alice.sessions.Transmitted(Instant(0), alice.Send(CAROL));
        alice.Hear(CAROL, 7, alice.sessions.GetLife(), number, "", KIND_ACK);
    }
    const auto late = *alice.sessions.NextTimer() - timeout;
    return static_cast<double>(late.count()) / static_cast<double>(timeout.count());
}

void
OwnFramesPostponeATimeoutUpToALimit(FunctionCase& test)
{
    for (const uint8_t most : {0, 1, 2})
    {
        const auto limit = SmallFrames().window - 1 + most; // others of the window go first
        test.Expect(std::abs(HoldUp(most) - limit) < 1e-6, std::to_string(most) + " timeouts");
    }
}

/// Each of three neighbours is told as often as the limit says, two a heartbeat.
void
NoticesAreToldInTurns(FunctionCase& test)
{
    auto options = SmallFrames();
    options.limits.notices = 2;
    options.limits.noticesPerHeartbeat = 2;
    Alice alice(options);
    for (const NodeId neighbour : {BOB, CAROL, NodeId{4}})
    {
        alice.Hear(neighbour, BOBS, NO_SESSION, 0, "x");
        alice.Close(neighbour);
    }
    std::map<NodeId, int> told;
    for (auto notices = alice.sessions.TakeNotices(); !notices.empty();
         notices = alice.sessions.TakeNotices())
    {
        test.Expect(notices.size() <= 2, "a heartbeat holds two");
        for (const auto& notice : notices)
        {
            ++told[notice.neighbour];
        }
    }
    test.Expect(told == std::map<NodeId, int>{{BOB, 2}, {CAROL, 2}, {4, 2}}, "twice each");
}

/// What does not fit beside a heartbeat's body is told by the next one.
void
AHeartbeatTellsWhatItsFrameHolds(FunctionCase& test)
{
    const Bytes body(14);
    auto options = SmallFrames();
    options.limits.notices = 1;
    options.maxFrameBytes = FRAME_HEADER_BYTES + 1 + 2 * NOTICE_BYTES + 14 + 3;
    Alice alice(options);
    for (const NodeId neighbour : {BOB, CAROL, NodeId{4}})
    {
        alice.Hear(neighbour, BOBS, NO_SESSION, 0, "x");
        alice.Close(neighbour);
    }
    TransportOutput output;
    alice.sessions.BroadcastHeartbeat(body, output);
    alice.sessions.BroadcastHeartbeat(body, output);
    const auto around = FRAME_HEADER_BYTES + 1 + body.size();
    test.Expect(output.frames[0].bytes.size() == around + 2 * NOTICE_BYTES, "two in the first");
    test.Expect(output.frames[1].bytes.size() == around + NOTICE_BYTES, "one in the second");
}

void
ClosingEndsWhatThereIs(FunctionCase& test)
{
    Alice alice;
    alice.Close(BOB);
    test.Expect(alice.seen.ended.empty(), "nothing");
    alice.Send(BOB);
    alice.Close(BOB);
    test.Expect(alice.seen.ended == std::vector{SessionEnd::CLOSED}, "what waits for Bob");
    test.Expect(alice.seen.failed == std::vector<MessageHandle>{1}, "fails");
    test.Expect(!alice.sessions.NextTimer(), "and nothing is waited for");
    alice.Close(BOB);
    test.Expect(alice.seen.ended.size() == 1, "once");
}

/// Repeated frames wait in the MAC; the acknowledgement of the second overtakes its copy.
void
ACopyThatLeavesLateHoldsNothingUp(FunctionCase& test)
{
    Alice alice;
    alice.Hear(BOB, BOBS, NO_SESSION, 0, "known");
    alice.Send(BOB);
    const auto second = alice.Send(BOB);
    alice.Hear(BOB, BOBS, alice.sessions.GetLife(), 1, "", KIND_ACK);
    alice.sessions.Transmitted(1ms, second);
    alice.sessions.Transmitted(1ms, second + 1);
    test.Expect(!alice.sessions.NextTimer(), "nobody waits for what has arrived, or was not sent");
    alice.Hear(BOB, BOBS, alice.sessions.GetLife(), 0, "", KIND_ACK);
    test.Expect(alice.seen.delivered == std::vector<MessageHandle>{1, 2}, "both, in order");
}

/// The device may give a frame up, or tell of one of a neighbour with which there is no session.
void
WhatTheDeviceGivesUpIsSentAgain(FunctionCase& test)
{
    auto options = SmallFrames();
    options.usesLinkAcks = true;
    Alice alice(options);
    alice.Hear(BOB, BOBS, alice.sessions.GetLife(), 0, "known");
    const auto ticket = alice.Send(BOB);
    TransportOutput output;
    alice.sessions.GivenUp(1ms, CAROL, output);
    alice.sessions.GivenUp(1ms, ticket + (uint64_t{1} << 32U), output);
    test.Expect(output.frames.empty() && output.events.empty(), "nobody knows these");
    alice.sessions.GivenUp(1ms, ticket, output);
    test.Expect(output.frames.size() == 1 && output.frames[0].to == BOB, "at once");
}

/// What the device has acknowledged may have come to a session that is over.
void
WhatTheDeviceAcknowledgesIsAskedFor(FunctionCase& test)
{
    auto options = SmallFrames();
    options.usesLinkAcks = true;
    options.window = 1;
    Alice alice(options);
    const auto hers = alice.sessions.GetLife();
    alice.Hear(BOB, BOBS, NO_SESSION, 0, "known");
    const auto after = options.limits.askAfter;
    TransportOutput output;
    const auto first = alice.Send(BOB);
    alice.Send(BOB);
    alice.sessions.Acknowledged(1ms, first, output);
    test.Expect(output.frames.size() == 1 && output.events.empty(), "the next one goes");
    alice.sessions.Acknowledged(2ms, output.frames[0].ticket, output);
    output = {};
    test.Expect(alice.sessions.NextTimer() == 1ms + after, "it is not asked at once");
    alice.sessions.Expire(1ms + after, output);
    const auto isAsk = [&output](uint8_t sequence) {
        const auto header = DecodeFrameHeader(output.frames.at(0).bytes);
        return output.frames.size() == 1 && header.kind == KIND_ASK && header.sequence == sequence;
    };
    test.Expect(isAsk(1) && output.events.empty(), "about both");
    const auto third = alice.Send(BOB);
    alice.sessions.Acknowledged(3ms + after, third, output);
    output = {};
    alice.sessions.Expire(1ms + 2 * after, output);
    test.Expect(isAsk(1), "the same again");
    test.Expect(alice.sessions.NextTimer() == 1ms + 4 * after, "with more time");
    alice.Hear(BOB, BOBS, hers, 1, "", KIND_ACK);
    test.Expect(alice.seen.delivered == std::vector<MessageHandle>{1, 2}, "not the third");
    output = {};
    alice.sessions.Expire(1ms + 4 * after, output);
    test.Expect(isAsk(2), "which is asked for now");
    alice.Hear(BOB, BOBS + 1, hers, 2, "", KIND_CLOSED);
    test.Expect(alice.seen.failed == std::vector<MessageHandle>{3}, "it was thrown away");
    test.Expect(!alice.sessions.NextTimer(), "nobody is asked any more");
}

/// Many that wait are asked for at once, and who never answers is given up.
void
AQuestionHasAnEnd(FunctionCase& test)
{
    auto options = SmallFrames();
    options.usesLinkAcks = true;
    options.window = 1;
    options.limits.maxUnsettled = 4;
    Alice alice(options);
    alice.Hear(BOB, BOBS, NO_SESSION, 0, "known");
    TransportOutput output;
    auto ticket = alice.Send(BOB);
    for (int i = 0; i < 5; ++i)
    {
        alice.Send(BOB);
    }
    std::vector<size_t> frames;
    while (ticket != 0)
    {
        output = {};
        alice.sessions.Acknowledged(1ms, ticket, output);
        frames.push_back(output.frames.size());
        ticket = output.frames.empty() ? 0 : output.frames.back().ticket;
    }
    test.Expect(frames == std::vector<size_t>{1, 2, 1, 1, 0}, "one asks after two; four wait");
    for (int attempts = 1; attempts <= 7; ++attempts)
    {
        test.Expect(alice.seen.ended.empty(), "after " + std::to_string(attempts));
        output = {};
        alice.sessions.Expire(alice.sessions.NextTimer().value_or(0ms), output);
    }
    test.Expect(output.events.size() == 1, "seven times");
}

/// Who has the frame says so each time, else that this session is over.
void
AQuestionIsAnswered(FunctionCase& test)
{
    auto options = SmallFrames();
    options.usesLinkAcks = true;
    Alice alice(options);
    const auto hers = alice.sessions.GetLife();
    alice.Hear(BOB, BOBS, NO_SESSION, 0, "known");
    alice.Hear(BOB, BOBS, hers, 1, "more");
    alice.Hear(BOB, BOBS, hers, 1, "", KIND_ASK);
    test.Expect(alice.GetLast().kind == KIND_ACK && alice.GetLast().sequence == 1, "it has come");
    alice.Close(BOB);
    test.Expect(!alice.sessions.NextTimer(), "what is over is not acknowledged");
    alice.Hear(BOB, BOBS, hers, 1, "", KIND_ASK);
    test.Expect(alice.GetLast().kind == KIND_CLOSED, "it is over");
    test.Expect(alice.seen.received == std::vector<std::string>{"known", "more"}, "no message");
}

/// Of one that says that a frame has come which has not, what came later tells.
void
WhatComesAfterAMissingFrameIsNotAcknowledged(FunctionCase& test)
{
    auto options = SmallFrames();
    options.usesLinkAcks = true;
    Alice alice(options);
    const auto hers = alice.sessions.GetLife();
    alice.Hear(BOB, BOBS, NO_SESSION, 0, "known");
    alice.Hear(BOB, BOBS, hers, 2, "after");
    test.Expect(!alice.sessions.NextTimer(), "nothing is owed");
    const auto before = alice.CountSent();
    alice.Hear(BOB, BOBS, hers, 2, "", KIND_ASK);
    test.Expect(alice.CountSent() == before, "the missing one may be on its way again");
    alice.Hear(BOB, BOBS, hers, 1, "missing");
    test.Expect(alice.seen.received.size() == 3, "here it is");
    alice.Hear(BOB, BOBS, hers, 2, "", KIND_ASK);
    test.Expect(alice.GetLast().kind == KIND_ACK, "so both have come");
    alice.Hear(BOB, BOBS, hers, 4, "after");
    alice.Hear(BOB, BOBS, hers, 4, "", KIND_ASK);
    test.Expect(alice.seen.ended.empty(), "asked once");
    alice.Hear(BOB, BOBS, hers, 4, "", KIND_ASK);
    test.Expect(alice.GetLast().kind == KIND_CLOSED, "asked twice, it will never come");
    test.Expect(alice.seen.ended == std::vector{SessionEnd::RENEWED}, "the session is over");
    alice.Hear(BOB, BOBS, static_cast<SessionNumber>(hers + 1), 4, "", KIND_ASK);
    test.Expect(alice.seen.ended.size() == 1, "in the next one this is the first question");
}

/// Numbers of frames come again.
void
AQuestionOfTheRoundBeforeIsNotCounted(FunctionCase& test)
{
    auto options = SmallFrames();
    options.usesLinkAcks = true;
    Alice alice(options);
    const auto hers = alice.sessions.GetLife();
    alice.Hear(BOB, BOBS, NO_SESSION, 0, "known");
    const auto ask = [&] {
        alice.Hear(BOB, BOBS, hers, 2, "after");
        alice.Hear(BOB, BOBS, hers, 2, "", KIND_ASK);
    };
    ask();
    for (uint8_t i = 0; i < SEQUENCE_NUMBERS; ++i)
    {
        alice.Hear(BOB, BOBS, hers, (i + 1) % SEQUENCE_NUMBERS, "more");
    }
    ask();
    test.Expect(alice.seen.ended.empty(), "each was asked for once");
}

/// One acknowledgement is of all before: of what has come in order, whatever filled the gap.
void
WhatFillsAGapIsAcknowledgedWithWhatCameAfterIt(FunctionCase& test)
{
    auto options = SmallFrames();
    options.usesLinkAcks = true;
    Alice alice(options);
    const auto hers = alice.sessions.GetLife();
    alice.Hear(BOB, BOBS, NO_SESSION, 0, "known");
    alice.Hear(BOB, BOBS, hers, 2, "after");
    alice.Hear(BOB, BOBS, hers, 1, "late");
    TransportOutput output;
    alice.sessions.Expire(alice.sessions.NextTimer().value_or(0ms), output);
    const auto ack = DecodeFrameHeader(output.frames.at(0).bytes);
    test.Expect(ack.kind == KIND_ACK && ack.sequence == 2, "of both");
}

/// What is further ahead than half of the sequence numbers is taken for old.
void
FramesOnTheirWayAreNoMoreThanSequenceNumbersTellApart(FunctionCase& test)
{
    auto options = SmallFrames();
    options.usesLinkAcks = true;
    options.window = 64;
    Alice alice(options);
    alice.Hear(BOB, BOBS, NO_SESSION, 0, "known");
    std::vector<uint64_t> tickets;
    TransportOutput output;
    for (int i = 0; i < 200; ++i)
    {
        tickets.push_back(alice.Send(BOB));
    }
    for (size_t i = 1; i < tickets.size() && tickets[i] != 0; ++i)
    {
        alice.sessions.Acknowledged(1ms, tickets[i], output);
    }
    const auto isData = [](const auto& frame) {
        return DecodeFrameHeader(frame.bytes).kind == MESSAGE_KIND;
    };
    const auto sent = std::ranges::count_if(tickets, [](auto ticket) { return ticket != 0; }) +
                      std::ranges::count_if(output.frames, isData);
    test.Expect(sent == SEQUENCE_NUMBERS / 2,
                "while the first has not come: " + std::to_string(sent));
}

/// A full window may have been what ended the session before: without retries no session would end
/// otherwise.
void
AfterAnEndTheWindowOpensFrameByFrame(FunctionCase& test)
{
    auto options = SmallFrames();
    options.window = 3;
    Alice alice(options);
    alice.Hear(BOB, BOBS, NO_SESSION, 0, "known");
    alice.Close(BOB);
    const auto now = static_cast<SessionNumber>(alice.sessions.GetLife() + 1);
    const auto countSent = [&] {
        const auto before = alice.CountSent();
        for (int i = 0; i < 4; ++i)
        {
            alice.Send(BOB);
        }
        return alice.CountSent() - before;
    };
    test.Expect(countSent() == 1, "one at first");
    const auto countMore = [&](uint8_t sequence) {
        const auto before = alice.CountSent();
        alice.Hear(BOB, BOBS, now, sequence, "", KIND_ACK);
        return alice.CountSent() - before;
    };
    test.Expect(countMore(0) == 2, "two behind an acknowledgement");
    test.Expect(countMore(0) == 0, "which counts once");
    test.Expect(countMore(1) == 1 && countSent() == 1, "three, and no more");
    test.Expect(countMore(2) == 1, "one for each");
}

/// Its frame may still be known, as one before it is missing.
void
AnAcknowledgementOpensTheWindowOnce(FunctionCase& test)
{
    auto options = SmallFrames();
    options.window = 8;
    Alice alice(options);
    alice.Hear(BOB, BOBS, NO_SESSION, 0, "known");
    alice.Close(BOB);
    for (int i = 0; i < 9; ++i)
    {
        alice.Send(BOB);
    }
    const auto acknowledge = [&](uint8_t sequence) {
        const auto now = static_cast<SessionNumber>(alice.sessions.GetLife() + 1);
        alice.Hear(BOB, BOBS, now, sequence, "", KIND_ACK);
    };
    acknowledge(0);
    acknowledge(2);
    const auto sent = alice.CountSent();
    acknowledge(2);
    test.Expect(alice.CountSent() == sent, "its repetition says nothing new");
}

/// So does an acknowledgement of the device.
void
AfterAnEndTheDeviceOpensTheWindowToo(FunctionCase& test)
{
    auto options = SmallFrames();
    options.usesLinkAcks = true;
    Alice alice(options);
    alice.Hear(BOB, BOBS, NO_SESSION, 0, "known");
    alice.Close(BOB);
    const auto first = alice.Send(BOB);
    alice.Send(BOB);
    alice.Send(BOB);
    alice.Send(BOB);
    TransportOutput output;
    alice.sessions.Acknowledged(1ms, first, output);
    test.Expect(output.frames.size() == 2, "two behind the first");
}

/// What the device has acknowledged is acknowledged once for several frames, soon.
void
OneAcknowledgementDoesForSeveralFrames(FunctionCase& test)
{
    auto options = SmallFrames();
    options.usesLinkAcks = true;
    options.limits.maxOwed = 3;
    Alice alice(options);
    const auto hers = alice.sessions.GetLife();
    const auto after = options.limits.ackAfter;
    alice.Hear(BOB, BOBS, NO_SESSION, 0, "known");
    alice.now = 5ms;
    alice.Hear(BOB, BOBS, hers, 1, "one");
    alice.now = 9ms;
    alice.Hear(BOB, BOBS, hers, 2, "two");
    test.Expect(alice.GetLast().sequence == 0, "not at once");
    test.Expect(alice.sessions.NextTimer() == 5ms + after, "but soon after the first");
    TransportOutput output;
    alice.sessions.Expire(5ms + after, output);
    const auto ack = DecodeFrameHeader(output.frames.at(0).bytes);
    test.Expect(ack.kind == KIND_ACK && ack.sequence == 2, "by the last");
    test.Expect(output.frames.size() == 1 && !alice.sessions.NextTimer(), "once");
    for (uint8_t sequence = 3; sequence < 6; ++sequence)
    {
        alice.Hear(BOB, BOBS, hers, sequence, "more");
    }
    test.Expect(alice.GetLast().kind == KIND_ACK && alice.GetLast().sequence == 5,
                "three, at once");
    test.Expect(!alice.sessions.NextTimer(), "so no more");
}

/// An acknowledgement of a frame says nothing of others that were sent, again or not, after it.
void
AnAcknowledgementIsOfWhatWasSentBefore(FunctionCase& test)
{
    auto options = SmallFrames();
    options.usesLinkAcks = true;
    options.window = 3;
    Alice alice(options);
    const auto hers = alice.sessions.GetLife();
    alice.Hear(BOB, BOBS, NO_SESSION, 0, "known");
    const auto first = alice.Send(BOB);
    const auto second = alice.Send(BOB);
    const auto third = alice.Send(BOB);
    TransportOutput output;
    alice.sessions.GivenUp(1ms, first, output);
    const auto again = output.frames.at(0).ticket;
    output = {};
    for (const auto ticket : {second, third, again})
    {
        alice.sessions.Acknowledged(2ms, ticket, output);
    }
    alice.Hear(BOB, BOBS, hers, 1, "", KIND_ACK);
    test.Expect(alice.seen.delivered.empty(), "the first was sent again after the second");
    alice.Hear(BOB, BOBS, hers, 0, "", KIND_ACK);
    test.Expect(alice.seen.delivered == std::vector<MessageHandle>{1, 2},
                "the third after the first");
    output = {};
    alice.sessions.Expire(alice.sessions.NextTimer().value_or(0ms), output);
    const auto ask = DecodeFrameHeader(output.frames.at(0).bytes);
    test.Expect(ask.kind == KIND_ASK && ask.sequence == 2, "it is asked for");
    alice.Hear(BOB, BOBS, hers, 2, "", KIND_ACK);
    const auto fourth = alice.Send(BOB);
    const auto fifth = alice.Send(BOB);
    output = {};
    alice.sessions.GivenUp(2ms, fourth, output); // it may have come: the acknowledgement was lost
    for (const auto ticket : {fifth, output.frames.at(0).ticket})
    {
        alice.sessions.Acknowledged(3ms, ticket, output);
    }
    alice.Hear(BOB, BOBS, hers, 3, "", KIND_ACK);
    test.Expect(alice.seen.delivered == std::vector<MessageHandle>{1, 2, 3, 4}, "not the fifth");
}

/// An acknowledgement that comes by itself answers a question, if it is of a later frame.
void
ALaterAcknowledgementAnswersAQuestion(FunctionCase& test)
{
    auto options = SmallFrames();
    options.usesLinkAcks = true;
    Alice alice(options);
    const auto hers = alice.sessions.GetLife();
    alice.Hear(BOB, BOBS, NO_SESSION, 0, "known");
    TransportOutput output;
    alice.sessions.Acknowledged(1ms, alice.Send(BOB), output);
    const auto due = alice.sessions.NextTimer().value_or(0ms);
    alice.sessions.Expire(due, output);
    test.Expect(DecodeFrameHeader(output.frames.at(0).bytes).kind == KIND_ASK, "of the first");
    alice.sessions.Acknowledged(due + 1ms, alice.Send(BOB), output);
    alice.Hear(BOB, BOBS, hers, 1, "", KIND_ACK);
    test.Expect(alice.seen.delivered == std::vector<MessageHandle>{1, 2}, "both");
    test.Expect(!alice.sessions.NextTimer(), "nothing is asked any more");
    alice.sessions.Acknowledged(due + 2ms, alice.Send(BOB), output);
    test.Expect(alice.sessions.NextTimer() == due + 2ms + options.limits.askAfter, "it is new");
}

/// Frames from Alice to Bob, as a third one sees them on the air.
class Overheard
{
  public:
    /// @return the message that the frame completes; "" if it completes none
    std::string See(uint8_t sequence, const std::string& text, bool hasMore)
    {
        const FrameHeader header{ALICE, BOB, MESSAGE_KIND, number, BOBS, sequence, hasMore};
        const auto whole = m_parts.Add(header, Bytes(text.begin(), text.end()));
        return whole ? std::string(whole->begin(), whole->end()) : "";
    }

    SessionNumber number{1};

  private:
    MessageParts m_parts;
};

void
PartsOnTheAirAreJoined(FunctionCase& test)
{
    Overheard air;
    test.Expect(air.See(0, "one", false) == "one", "a message in one frame");
    test.Expect(air.See(1, "ab", true).empty(), "its first part");
    test.Expect(air.See(2, "cd", true).empty(), "a part in the middle");
    test.Expect(air.See(3, "e", false) == "abcde", "the last one completes it");
    test.Expect(air.See(3, "e", false) == "abcde", "and does again when it is repeated");
    test.Expect(air.See(1, "ab", true) == "abcde", "as any other part then");
    test.Expect(air.See(5, "y", false) == "y", "whatever is missing before it");
    test.Expect(air.See(4, "x", true) == "xy", "a part that comes late belongs before it");
}

void
PartsOfAnotherSessionOrRoundAreNotJoined(FunctionCase& test)
{
    Overheard air;
    air.See(0, "old", true);
    air.number = 2;
    test.Expect(air.See(1, "new", false) == "new", "of another session");
    air.See(2, "left", true);
    for (int frame = 3; frame < 3 + SEQUENCE_NUMBERS - 1; ++frame)
    {
        air.See(static_cast<uint8_t>(frame % SEQUENCE_NUMBERS), "whole", false);
    }
    air.See(0, "a", true);
    test.Expect(air.See(1, "b", false) == "ab", "numbers begin again");
    air.See(2, "left", true);
    for (int frame = 4; frame < 2 + SEQUENCE_NUMBERS / 2; ++frame)
    {
        air.See(static_cast<uint8_t>(frame), "whole", false);
    }
    test.Expect(air.See(3, "late", false) == "leftlate", "within half a round");
    for (int frame = 2 + SEQUENCE_NUMBERS / 2; frame < 2 + SEQUENCE_NUMBERS; ++frame)
    {
        air.See(static_cast<uint8_t>(frame % SEQUENCE_NUMBERS), "whole", false);
    }
    test.Expect(air.See(3, "new", false) == "new", "of a round before");
}

class SessionFramesSuite : public ns3::TestSuite
{
  public:
    SessionFramesSuite()
        : TestSuite("mftpubsub-session-frames", Type::UNIT)
    {
        Add("A number that a notice told may be named", ANumberToldByANoticeIsNamed);
        Add("A notice of no number says nothing", ANoticeOfNoNumberSaysNothing);
        Add("A number that was not told is an earlier life's",
            ANumberThatWasNotToldIsAnEarlierLifes);
        Add("A number may come before the life that it is of",
            ANumberMayComeBeforeTheLifeThatItIsOf);
        Add("A restart ends a session once", ARestartEndsASessionOnce);
        Add("An opening is forgotten once it is answered", AnOpeningIsForgottenOnceItIsAnswered);
        Add("What comes after a missing frame is not acknowledged",
            WhatComesAfterAMissingFrameIsNotAcknowledged);
        Add("A question of the round before is not counted", AQuestionOfTheRoundBeforeIsNotCounted);
        Add("What fills a gap is acknowledged with what came after it",
            WhatFillsAGapIsAcknowledgedWithWhatCameAfterIt);
        Add("Frames on their way are no more than sequence numbers tell apart",
            FramesOnTheirWayAreNoMoreThanSequenceNumbersTellApart);
        Add("An opening that ends elsewhere is of another life",
            AnOpeningThatEndsElsewhereIsOfAnotherLife);
        Add("A frame of half a round before is old", AFrameOfHalfARoundBeforeIsOld);
        Add("A frame ahead by less than half a round is kept",
            AFrameAheadByLessThanHalfARoundIsKept);
        Add("Timeouts double up to a limit", TimeoutsDoubleUpToALimit);
        Add("Own frames postpone a timeout up to a limit", OwnFramesPostponeATimeoutUpToALimit);
        Add("Notices are told in turns", NoticesAreToldInTurns);
        Add("A heartbeat tells what its frame holds", AHeartbeatTellsWhatItsFrameHolds);
        Add("Closing ends what there is", ClosingEndsWhatThereIs);
        Add("What the device gives up is sent again", WhatTheDeviceGivesUpIsSentAgain);
        Add("What the device acknowledges is asked for", WhatTheDeviceAcknowledgesIsAskedFor);
        Add("A question has an end", AQuestionHasAnEnd);
        Add("A question is answered", AQuestionIsAnswered);
        Add("After an end the window opens frame by frame", AfterAnEndTheWindowOpensFrameByFrame);
        Add("An acknowledgement opens the window once", AnAcknowledgementOpensTheWindowOnce);
        Add("After an end the device opens the window too", AfterAnEndTheDeviceOpensTheWindowToo);
        Add("One acknowledgement does for several frames", OneAcknowledgementDoesForSeveralFrames);
        Add("An acknowledgement is of what was sent before",
            AnAcknowledgementIsOfWhatWasSentBefore);
        Add("A later acknowledgement answers a question", ALaterAcknowledgementAnswersAQuestion);
        Add("Parts on the air are joined", PartsOnTheAirAreJoined);
        Add("Parts of another session or round are not joined",
            PartsOfAnotherSessionOrRoundAreNotJoined);
        Add("A copy that leaves late holds nothing up", ACopyThatLeavesLateHoldsNothingUp);
    }

  private:
    void Add(const std::string& name, FunctionCase::Function function)
    {
        AddTestCase(new FunctionCase(name, std::move(function)), Duration::QUICK);
    }
};

SessionFramesSuite g_sessionFrames;

} // namespace

} // namespace mftpubsub::session_frames_test
