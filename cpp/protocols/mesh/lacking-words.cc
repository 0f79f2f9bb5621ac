/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/lacking-words.h"

#include <algorithm>

namespace mftpubsub::mesh
{

LackingWords::LackingWords(const Context& context)
    : m_context(context)
{
}

void
LackingWords::Hear(Instant now, NodeId broker, const Bsub& bsub, const std::vector<NodeId>& lacking)
{
    const auto since = m_context.LatelyHeard(now);
    std::erase_if(m_brokers, [since](const auto& entry) { return entry.second.heardAt < since; });
    auto& [heardAt, waitsUntil, lacks, fit] = m_brokers[broker];
    heardAt = now;
    if (const auto sent = fit.GetSent(); sent && bsub.first <= *sent && *sent <= bsub.last)
    {
        fit.Told(!std::ranges::binary_search(lacking, *sent),
                 m_context.options.limits.frame.halvings);
    }
    if (!lacking.empty())
    {
        lacks = lacking.front();
        waitsUntil = now + m_context.Stretch(m_context.options.limits.word.forward) * 2;
    }
}

void
LackingWords::Forget(NodeId broker)
{
    m_brokers.erase(broker);
}

size_t
LackingWords::GetMost(Instant now) const
{
    auto most = m_context.options.maxFrameBytes;
    for (const auto& [id, broker] : m_brokers)
    {
        if (now <= broker.waitsUntil)
        {
            most = std::min(most,
                            broker.fit.GetMost(m_context.options.maxFrameBytes, MIN_FRAME_BYTES));
        }
    }
    return most;
}

void
LackingWords::Sent(const Sub& sub, bool areLast)
{
    for (auto& [id, broker] : m_brokers)
    {
        const auto isLacked = [&lacks = broker.lacks](const Word& word) {
            return word.subscriber == lacks;
        };
        if (std::ranges::any_of(sub.words, isLacked))
        {
            broker.fit.Sent(*broker.lacks);
            broker.lacks.reset();
        }
        if (areLast)
        {
            broker.waitsUntil = Instant(0);
        }
    }
}

} // namespace mftpubsub::mesh
