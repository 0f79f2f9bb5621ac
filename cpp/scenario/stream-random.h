/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_SCENARIO_STREAM_RANDOM_H
#define MFTPUBSUB_SCENARIO_STREAM_RANDOM_H

#include "ns3/random-variable-stream.h"

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace mftpubsub
{

/// Draws from one of ns-3's streams.
class StreamRandom
{
  public:
    explicit StreamRandom(int64_t stream)
        : m_uniform(ns3::CreateObject<ns3::UniformRandomVariable>())
    {
        m_uniform->SetStream(stream);
    }

    /// @return 0 to @p bound - 1
    size_t Below(size_t bound)
    {
        return m_uniform->GetInteger(0, static_cast<uint32_t>(bound - 1));
    }

    template <typename Item>
    const Item& Of(const std::vector<Item>& items)
    {
        return items[Below(items.size())];
    }

    /// @return the time (s) to the next event of a Poisson process
    double Exponential(double hertz)
    {
        return -std::log1p(-m_uniform->GetValue(0, 1)) / hertz;
    }

    /// @return @p count distinct numbers below @p bound, in random order
    template <typename Number>
    std::vector<Number> Distinct(size_t count, size_t bound)
    {
        std::vector<Number> numbers(bound);
        for (size_t index = 0; index < bound; ++index)
        {
            numbers[index] = static_cast<Number>(index);
        }
        for (size_t index = 0; index < count; ++index)
        {
            std::swap(numbers[index], numbers[index + Below(bound - index)]);
        }
        numbers.resize(count);
        return numbers;
    }

  private:
    ns3::Ptr<ns3::UniformRandomVariable> m_uniform;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_SCENARIO_STREAM_RANDOM_H */
