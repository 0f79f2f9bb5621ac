/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/frames.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mftpubsub::mesh
{

namespace
{

/// Codes of hints that are eighths of a hop, and how many hops they say.
constexpr int FINE_CODES = 128;
constexpr double FINE_HOPS = FINE_CODES / 8.0;

} // namespace

IdSet
Path::GetOpen() const
{
    IdSet open;
    for (const auto* part : {&hints, &elsewhere})
    {
        for (const auto& hint : *part)
        {
            open.Insert(hint.subscriber);
        }
    }
    return open;
}

double
Hint::GetHops() const
{
    if (code == UNKNOWN)
    {
        return std::numeric_limits<double>::infinity();
    }
    return code < FINE_CODES ? code / 8.0 : FINE_HOPS + (code - FINE_CODES) / 2.0;
}

Hint
MakeHint(NodeId subscriber, double hops)
{
    const auto fine = std::round(hops * 8);
    const auto code = fine < FINE_CODES ? fine : FINE_CODES + std::round((hops - FINE_HOPS) * 2);
    return {subscriber, static_cast<uint8_t>(std::min(code, double{Hint::UNKNOWN}))};
}

size_t
CountHintBytes(size_t subscribers)
{
    return subscribers == 0 ? 0 : 4 + 1 + 3 * subscribers;
}

size_t
CountBytes(const Path& path)
{
    const auto bytes = CountHintBytes(path.hints.size() + path.elsewhere.size());
    return bytes == 0 || !path.elsewhere.empty() ? bytes : bytes - 1;
}

} // namespace mftpubsub::mesh
