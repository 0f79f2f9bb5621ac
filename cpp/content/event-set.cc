/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "content/event-set.h"

#include <map>

namespace mftpubsub
{

bool
EventSet::Insert(EventId event)
{
    auto&& bit = m_blocks[{event.publisher, event.sequence / BLOCK}][event.sequence % BLOCK];
    const auto isNew = !bit;
    bit = true;
    return isNew;
}

std::string
EventSet::GetText() const
{
    std::string text;
    for (const auto& [place, block] : std::map(m_blocks.begin(), m_blocks.end()))
    {
        for (uint32_t i = 0; i < BLOCK; ++i)
        {
            if (block[i])
            {
                text += std::to_string(place.publisher) + "." +
                        std::to_string(place.sequence * BLOCK + i) + " ";
            }
        }
    }
    return text;
}

} // namespace mftpubsub
