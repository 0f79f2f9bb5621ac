/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "run/traffic.h"

namespace mftpubsub
{

namespace
{

AttributeDraw
MakeAttribute(const AttributeSpec& spec)
{
    if (spec.choices.size() == 1)
    {
        return {spec.name, [value = spec.choices.front()](auto&) { return value; }};
    }
    if (!spec.choices.empty())
    {
        return {
            spec.name,
            [choices = spec.choices](ns3::UniformRandomVariable& uniform) {
                return choices[uniform.GetInteger(0, static_cast<uint32_t>(choices.size() - 1))];
            }};
    }
    if (spec.isWhole)
    {
        return {spec.name,
                [low = static_cast<int64_t>(spec.low),
                 span = static_cast<uint32_t>(spec.high - spec.low)](
                    ns3::UniformRandomVariable& uniform) -> Value {
                    return low + int64_t{uniform.GetInteger(0, span)};
                }};
    }
    return {spec.name,
            [low = spec.low, high = spec.high](ns3::UniformRandomVariable& uniform) -> Value {
                return uniform.GetValue(low, high);
            }};
}

} // namespace

TrafficOptions
MakeTraffic(const PublisherSpec& publisher)
{
    TrafficOptions traffic;
    traffic.start = ns3::Seconds(publisher.startSeconds);
    traffic.stop = ns3::Seconds(publisher.stopSeconds);
    traffic.interval = ns3::Seconds(1.0 / publisher.rateHz);
    traffic.payloadBytes = publisher.payloadBytes;
    for (const auto& event : publisher.events)
    {
        auto& attributes = traffic.events.emplace_back();
        for (const auto& attribute : event.attributes)
        {
            attributes.push_back(MakeAttribute(attribute));
        }
    }
    return traffic;
}

} // namespace mftpubsub
