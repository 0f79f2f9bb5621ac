/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/arrivals.h"

#include <cmath>
#include <numbers>
#include <utility>

namespace mftpubsub
{

namespace
{

/// @return an exponentially distributed time
ns3::Time
DrawExponential(double meanSeconds, ns3::UniformRandomVariable& uniform)
{
    return ns3::Seconds(-meanSeconds * std::log1p(-uniform.GetValue(0, 1)));
}

/// Bursts and silences.
class OnOff
{
  public:
    explicit OnOff(const OnOffOptions& options)
        : m_options(options),
          m_meanGap(options.onSeconds / (options.onSeconds + options.offSeconds) / options.rate)
    {
    }

    std::optional<ns3::Time> operator()(ns3::Time after, ns3::UniformRandomVariable& uniform)
    {
        if (!m_end)
        {
            Begin(after, uniform);
        }
        for (;;)
        {
            if (m_isOn)
            {
                const auto next = after + DrawExponential(m_meanGap, uniform);
                if (next < *m_end)
                {
                    return next;
                }
            }
            after = *m_end;
            m_isOn = !m_isOn;
            m_end = after + DrawLength(uniform);
        }
    }

  private:
    /// Exponential lengths have no memory: what is left of the first one is as long as any.
    void Begin(ns3::Time start, ns3::UniformRandomVariable& uniform)
    {
        const auto all = m_options.onSeconds + m_options.offSeconds;
        m_isOn = uniform.GetValue(0, all) < m_options.onSeconds;
        m_end = start + DrawLength(uniform);
    }

    ns3::Time DrawLength(ns3::UniformRandomVariable& uniform) const
    {
        return DrawExponential(m_isOn ? m_options.onSeconds : m_options.offSeconds, uniform);
    }

    OnOffOptions m_options;
    double m_meanGap; //!< s, within bursts
    bool m_isOn{false};
    std::optional<ns3::Time> m_end; //!< of the burst or silence; none before the first call
};

} // namespace

Arrivals
MakePeriodicArrivals(ns3::Time interval)
{
    return [interval, isFirst = true](ns3::Time after, auto& uniform) mutable {
        return std::optional(
            after + (std::exchange(isFirst, false) ? interval * uniform.GetValue(0, 1) : interval));
    };
}

Arrivals
MakePoissonArrivals(double rate)
{
    return [rate](ns3::Time after, auto& uniform) {
        return std::optional(after + DrawExponential(1 / rate, uniform));
    };
}

Arrivals
MakeOnOffArrivals(const OnOffOptions& options)
{
    return OnOff(options);
}

Arrivals
MakeDiurnalArrivals(const DiurnalOptions& options)
{
    return [options](ns3::Time after, auto& uniform) {
        const auto highest = options.rate * (1 + options.depth);
        for (;;) // thinning: Lewis and Shedler, 1979
        {
            after += DrawExponential(1 / highest, uniform);
            const auto turns = (after.GetSeconds() - options.peakSeconds) / options.periodSeconds;
            const auto rate =
                options.rate * (1 + options.depth * std::cos(2 * std::numbers::pi * turns));
            if (uniform.GetValue(0, highest) < rate)
            {
                return std::optional(after);
            }
        }
    };
}

Arrivals
MakeRecordedArrivals(std::vector<ns3::Time> times)
{
    return [times = std::move(times), next = size_t{0}](ns3::Time, auto&) mutable {
        return next < times.size() ? std::optional(times[next++]) : std::nullopt;
    };
}

} // namespace mftpubsub
