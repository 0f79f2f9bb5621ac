/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "run/traffic.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace mftpubsub
{

namespace
{

Draw
MakeDraw(const AttributeSpec& spec)
{
    if (spec.choices.size() == 1)
    {
        return [value = spec.choices.front()](auto&) { return value; };
    }
    if (!spec.choices.empty())
    {
        return [choices = spec.choices](ns3::UniformRandomVariable& uniform) {
            return choices[uniform.GetInteger(0, static_cast<uint32_t>(choices.size() - 1))];
        };
    }
    if (spec.isWhole)
    {
        return [low = static_cast<int64_t>(spec.low),
                span = static_cast<uint32_t>(spec.high - spec.low)](
                   ns3::UniformRandomVariable& uniform) -> Value {
            return low + int64_t{uniform.GetInteger(0, span)};
        };
    }
    return [low = spec.low, high = spec.high](ns3::UniformRandomVariable& uniform) -> Value {
        return uniform.GetValue(low, high);
    };
}

Arrivals
MakeArrivals(const ArrivalsSpec& spec)
{
    if (spec.model == "poisson")
    {
        return MakePoissonArrivals(spec.rateHz);
    }
    if (spec.model == "on-off")
    {
        return MakeOnOffArrivals({spec.rateHz, spec.onSeconds, spec.offSeconds});
    }
    if (spec.model == "diurnal")
    {
        return MakeDiurnalArrivals({spec.rateHz, spec.periodSeconds, spec.peakSeconds, spec.depth});
    }
    if (spec.model == "recorded")
    {
        std::vector<ns3::Time> times;
        std::ranges::transform(spec.atSeconds, std::back_inserter(times), [](double seconds) {
            return ns3::Seconds(seconds);
        });
        return MakeRecordedArrivals(std::move(times));
    }
    return MakePeriodicArrivals(ns3::Seconds(1.0 / spec.rateHz));
}

} // namespace

TrafficOptions
MakeTraffic(const PublisherSpec& publisher)
{
    TrafficOptions traffic;
    traffic.start = ns3::Seconds(publisher.startSeconds);
    traffic.stop = ns3::Seconds(publisher.stopSeconds);
    traffic.arrivals = MakeArrivals(publisher.arrivals);
    traffic.isInOrder = publisher.arrivals.model == "recorded";
    for (const auto& event : publisher.events)
    {
        auto& made = traffic.events.emplace_back();
        made.payloadBytes = MakeDraw(event.payloadBytes);
        for (const auto& attribute : event.attributes)
        {
            made.attributes.emplace_back(attribute.name, MakeDraw(attribute));
        }
    }
    return traffic;
}

} // namespace mftpubsub
