/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "session/message-parts.h"

namespace mftpubsub
{

namespace
{

uint8_t
Shift(uint8_t sequence, uint8_t by)
{
    return static_cast<uint8_t>((sequence + by) % SEQUENCE_NUMBERS);
}

} // namespace

std::optional<Bytes>
MessageParts::Add(const FrameHeader& header, std::span<const uint8_t> body)
{
    constexpr uint8_t FORGOTTEN = SEQUENCE_NUMBERS / 2; // no window is wider
    constexpr uint8_t BACK = SEQUENCE_NUMBERS - 1;
    auto& frames = m_frames[{header.source, header.destination}];
    if (frames.session != header.session)
    {
        frames = {header.session, {}};
    }
    auto& parts = frames.parts;
    parts.erase(Shift(header.sequence, FORGOTTEN));
    parts.insert_or_assign(header.sequence, Part{Bytes(body.begin(), body.end()), header.hasMore});

    auto first = header.sequence;
    const auto isPart = [&parts](uint8_t sequence) {
        const auto found = parts.find(sequence);
        return found != parts.end() && found->second.hasMore;
    };
    while (isPart(Shift(first, BACK)))
    {
        first = Shift(first, BACK);
    }
    Bytes whole;
    for (auto part = parts.find(first); part != parts.end(); part = parts.find(first))
    {
        whole.insert(whole.end(), part->second.body.begin(), part->second.body.end());
        if (!part->second.hasMore)
        {
            return whole;
        }
        first = Shift(first, 1);
    }
    return {};
}

} // namespace mftpubsub
