/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/paths.h"

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

/// Bit of the number of claims of a path.
constexpr uint8_t HAS_ELSEWHERE = 1 << 7;

void
Write(ByteWriter& out, const Hint& hint)
{
    out.Put(hint.subscriber);
    out.Put(hint.code);
}

Hint
ReadHint(ByteReader& in)
{
    Hint hint;
    hint.subscriber = in.Get<NodeId>();
    hint.code = in.Get<uint8_t>();
    return hint;
}

void
WriteEach(ByteWriter& out, const std::vector<Claim>& claims)
{
    for (const auto& claim : claims)
    {
        Write(out, static_cast<const Hint&>(claim));
        out.Put(claim.round);
    }
}

std::vector<Claim>
ReadEach(ByteReader& in, size_t count)
{
    std::vector<Claim> claims(count);
    for (auto& claim : claims)
    {
        claim = {ReadHint(in)};
        claim.round = in.Get<uint8_t>();
    }
    return claims;
}

} // namespace

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

bool
Claim::IsNearerThan(const Claim& other, double hops) const
{
    return round == other.round ? GetHops() + hops < other.GetHops() : round > other.round;
}

void
Bearing::Hear(const Claim& claim, bool isBrokers)
{
    if (claim.IsNearerThan(nearest))
    {
        nearest = claim;
    }
    else if (claim.isOpen && !nearest.IsNearerThan(claim))
    {
        nearest.isAside = false; // said again
    }
    if (isBrokers && claim.IsNearerThan(taker))
    {
        taker = claim;
    }
}

void
Bearing::SearchAnew()
{
    const auto round = static_cast<uint8_t>(std::min(nearest.round + 1, UINT8_MAX));
    nearest = {{nearest.subscriber}, round};
}

Claim
Bearing::GetBest() const
{
    return said && said->IsNearerThan(taker) ? *said : taker;
}

IdSet
Path::GetOpen() const
{
    IdSet open;
    for (const auto* part : {&claims, &elsewhere})
    {
        for (const auto& claim : *part)
        {
            open.Insert(claim.subscriber);
        }
    }
    return open;
}

size_t
CountClaimBytes(size_t subscribers)
{
    return subscribers == 0 ? 0 : 4 + 1 + 4 * subscribers;
}

size_t
CountBytes(const Path& path)
{
    const auto bytes = CountClaimBytes(path.claims.size() + path.elsewhere.size());
    return bytes == 0 || !path.elsewhere.empty() ? bytes : bytes - 1;
}

void
Write(ByteWriter& out, const std::vector<Hint>& hints)
{
    out.Put(static_cast<uint8_t>(hints.size()));
    for (const auto& hint : hints)
    {
        Write(out, hint);
    }
}

std::vector<Hint>
ReadHints(ByteReader& in)
{
    std::vector<Hint> hints(in.Get<uint8_t>());
    for (auto& hint : hints)
    {
        hint = ReadHint(in);
    }
    return hints;
}

void
Write(ByteWriter& out, const std::vector<Claim>& claims)
{
    out.Put(static_cast<uint8_t>(claims.size()));
    WriteEach(out, claims);
}

std::vector<Claim>
ReadClaims(ByteReader& in)
{
    return ReadEach(in, in.Get<uint8_t>());
}

void
Write(ByteWriter& out, const Path& path)
{
    const auto elsewhere = path.elsewhere.empty() ? 0 : HAS_ELSEWHERE;
    out.Put(static_cast<uint8_t>(path.claims.size() | elsewhere));
    WriteEach(out, path.claims);
    if (!path.IsForAll())
    {
        out.Put(path.wordsHash);
    }
    if (!path.elsewhere.empty())
    {
        Write(out, path.elsewhere);
    }
}

Path
ReadPath(ByteReader& in)
{
    Path path;
    const auto count = in.Get<uint8_t>();
    path.claims = ReadEach(in, count & ~HAS_ELSEWHERE);
    if (count > 0)
    {
        path.wordsHash = in.Get<uint32_t>();
    }
    if (count & HAS_ELSEWHERE)
    {
        path.elsewhere = ReadClaims(in);
    }
    return path;
}

} // namespace mftpubsub::mesh
