/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/block-codec.h"

#include "protocols/mesh/galois.h"

namespace mftpubsub::mesh
{

namespace
{

/// Blocks of one maker whose numbers follow each other.
struct BlockRun
{
    BlockId first;
    uint8_t count{0};
};

constexpr size_t RUN_BYTES = 5;

std::vector<BlockRun>
GetRuns(const std::vector<BlockId>& blocks)
{
    std::vector<BlockRun> runs;
    for (const auto id : blocks)
    {
        if (!runs.empty() && runs.back().first.maker == id.maker &&
            runs.back().first.number + runs.back().count == id.number &&
            runs.back().count < MAX_COUNT)
        {
            ++runs.back().count;
        }
        else
        {
            runs.push_back({id, 1});
        }
    }
    return runs;
}

/// Factors are two to a byte.
size_t
CountFactorBytes(size_t blocks)
{
    return (blocks + 1) / 2;
}

} // namespace

size_t
CountSumBytes(const BlockMix& mix)
{
    return RUN_BYTES * GetRuns(mix.blocks).size() + CountFactorBytes(mix.blocks.size()) +
           mix.sum.size();
}

void
WriteBlockMix(ByteWriter& out, const BlockMix& mix)
{
    out.Put(mix.hops);
    const auto runs = GetRuns(mix.blocks);
    out.Put(static_cast<uint8_t>(runs.size()));
    for (const auto& [first, count] : runs)
    {
        out.Put(first.maker);
        out.Put(first.number);
        out.Put(count);
    }
    for (size_t i = 0; i < mix.factors.size(); i += 2)
    {
        const auto second = i + 1 < mix.factors.size() ? mix.factors[i + 1] : uint8_t{0};
        out.Put(
            static_cast<uint8_t>(galois::ToNibble(mix.factors[i]) << 4 | galois::ToNibble(second)));
    }
    out.PutBytes(mix.sum);
}

void
ReadBlockMix(ByteReader& in, BlockMix& mix)
{
    mix.hops = in.Get<uint8_t>();
    for (auto left = in.Get<uint8_t>(); left > 0; --left)
    {
        const auto maker = in.Get<NodeId>();
        const auto first = in.Get<uint16_t>();
        const auto count = in.Get<uint8_t>();
        for (size_t i = 0; i < count; ++i)
        {
            mix.blocks.push_back({maker, static_cast<uint16_t>(first + i)});
        }
    }
    const auto factors = in.GetBytes(CountFactorBytes(mix.blocks.size()));
    for (size_t i = 0; i < mix.blocks.size(); ++i)
    {
        const auto both = factors[i / 2];
        mix.factors.push_back(galois::FromNibble(i % 2 == 0 ? both >> 4 : both & 0x0f));
    }
    const auto sum = in.GetBytes(in.Remaining());
    mix.sum.assign(sum.begin(), sum.end());
}

} // namespace mftpubsub::mesh
