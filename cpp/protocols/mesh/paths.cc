/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/paths.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

namespace mftpubsub::mesh
{

namespace
{

/// Codes of hints that are eighths of a hop, and how many hops they say.
constexpr int FINE_CODES = 128;
constexpr double FINE_HOPS = FINE_CODES / 8.0;

/// Bit of the number of claims of a path.
constexpr uint8_t HAS_ELSEWHERE = 1 << 7;

/// Bit of the round of a claim: it is a companion of the one before it.
constexpr uint8_t IS_COMPANION = 1 << 7;

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
    const Claim* last = nullptr;
    for (const auto& claim : claims)
    {
        const auto isCompanion = last && claim.companions && claim.companions == last->companions;
        Write(out, static_cast<const Hint&>(claim));
        out.Put(static_cast<uint8_t>(claim.round | (isCompanion ? IS_COMPANION : 0)));
        last = &claim;
    }
}

std::vector<Claim>
ReadEach(ByteReader& in, size_t count)
{
    std::vector<Claim> claims(count);
    std::shared_ptr<std::vector<NodeId>> companions;
    for (size_t i = 0; i < count; ++i)
    {
        auto& claim = claims[i];
        claim = {ReadHint(in)};
        const auto round = in.Get<uint8_t>();
        claim.round = round & MAX_ROUND;
        if (i == 0 || !(round & IS_COMPANION))
        {
            companions.reset();
            continue;
        }
        if (!companions)
        {
            companions = std::make_shared<std::vector<NodeId>>(1, claims[i - 1].subscriber);
            claims[i - 1].companions = companions;
        }
        companions->push_back(claim.subscriber);
        claim.companions = companions;
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
    if (code == FAR)
    {
        return FAR_HOPS;
    }
    return code < FINE_CODES ? code / 8.0 : FINE_HOPS + (code - FINE_CODES) / 2.0;
}

Hint
MakeHint(NodeId subscriber, double hops)
{
    const auto fine = std::round(hops * 8);
    const auto code = fine < FINE_CODES ? fine : FINE_CODES + std::round((hops - FINE_HOPS) * 2);
    return {subscriber, static_cast<uint8_t>(std::min(code, double{Hint::FAR}))};
}

bool
Claim::operator==(const Claim& other) const
{
    const auto alike = companions && other.companions ? *companions == *other.companions
                                                      : companions == other.companions;
    return alike && Hint::operator==(other) && round == other.round;
}

bool
Claim::IsTogetherWith(const Claim& other) const
{
    return round == other.round &&
           (subscriber == other.subscriber || (IsSearch() && other.IsSearch()) ||
            (companions && companions == other.companions));
}

Claim
Claim::AsTold() const
{
    auto told = *this;
    told.isAside = false;
    if (!IsBeyondCodes())
    {
        told.measured.reset();
    }
    return told;
}

bool
Claim::IsNearerThan(const Claim& other, double hops) const
{
    return round == other.round ? GetHops() + hops < other.GetHops() : round > other.round;
}

void
Bearing::Hear(const Claim& claim, bool isOpen, bool isBrokers, double blur)
{
    if (claim.IsNearerThan(nearest))
    {
        nearest = claim;
    }
    else if (isOpen && !nearest.IsNearerThan(claim, blur))
    {
        nearest.isAside = false; // said again
    }
    if (isBrokers && claim.AsTold().IsNearerThan(taker))
    {
        taker = claim.AsTold();
    }
}

void
Bearing::SearchAnew()
{
    const auto round = static_cast<uint8_t>(std::min<int>(nearest.round + 1, MAX_ROUND));
    nearest = {{nearest.subscriber}, round};
}

Claim
Bearing::GetBest() const
{
    return said && said->IsNearerThan(taker) ? *said : taker;
}

void
PutTogether(std::vector<Claim>& claims)
{
    std::ranges::sort(claims, {}, [](const Claim& claim) {
        const auto all = claim.GetAll();
        return std::tuple(all.front(),
                          all.size(),
                          std::ranges::find(all, claim.subscriber) - all.begin());
    });
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
