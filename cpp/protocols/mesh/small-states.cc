/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/small-states.h"

#include <algorithm>

namespace mftpubsub::mesh
{

void
SmallStates::Hear(Instant now, NodeId broker, const State& state, size_t eventBytes)
{
    const auto since = m_context.LatelyHeard(now);
    std::erase_if(m_heard, [since](const auto& heard) { return heard.second.latest < since; });
    const auto bytes = HEADER_BYTES + CountBytes(state) + eventBytes;
    const auto isPart = !state.has.IsWhole() || !state.settled.IsWhole();
    if (!isPart || bytes > m_context.SmallFrame())
    {
        m_heard.erase(broker);
    }
    else if (eventBytes == 0)
    {
        auto& heard = m_heard[broker];
        ++heard.count;
        heard.latest = now;
    }
}

size_t
SmallStates::GetMost(NodeId broker) const
{
    const auto heard = m_heard.find(broker);
    const auto isWeak = heard != m_heard.end() && heard->second.count > 1;
    return isWeak ? m_context.SmallFrame() : m_context.options.maxFrameBytes;
}

} // namespace mftpubsub::mesh
