/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/reconfiguration/make-dispatcher.h"

#include "protocols/reconfiguration/event-forwarding.h"
#include "protocols/reconfiguration/informed-link-activation.h"
#include "protocols/reconfiguration/reconfiguration-path.h"
#include "protocols/reconfiguration/strawman.h"

#include <map>
#include <stdexcept>

namespace mftpubsub::reconfiguration
{

namespace
{

template <typename Machine, typename... Arguments>
DispatcherFactory
Make(Arguments... arguments)
{
    return [arguments...](NodeId self, const TimerOptions& timers) {
        return std::make_unique<Machine>(self, timers, arguments...);
    };
}

const std::string RECONFIGURATION_PATH = "reconfiguration-path";

const std::map<std::string, DispatcherFactory>&
GetFactories()
{
    using Options = InformedLinkActivation::Options;
    static const std::map<std::string, DispatcherFactory> factories{
        {"strawman", Make<Strawman>()},
        {"deferred-unsub-timed", Make<DeferredUnsubTimed>()},
        {"deferred-unsub-notified", Make<DeferredUnsubNotified>()},
        {"informed-link-activation", Make<InformedLinkActivation>(Options{})},
        {"informed-link-activation-hide", Make<InformedLinkActivation>(Options{true, true})},
        {"informed-link-activation-timed", Make<InformedLinkActivation>(Options{false, false})},
        {RECONFIGURATION_PATH, Make<ReconfigurationPath>()},
        {"event-forwarding", Make<EventForwarding>()},
    };
    return factories;
}

} // namespace

DispatcherFactory
GetFactory(const std::string& protocol)
{
    const auto found = GetFactories().find(protocol);
    if (found == GetFactories().end())
    {
        throw std::invalid_argument("no reconfiguration protocol '" + protocol + "'");
    }
    return found->second;
}

std::vector<std::string>
GetProtocols()
{
    std::vector<std::string> names;
    for (const auto& [name, factory] : GetFactories())
    {
        names.push_back(name);
    }
    return names;
}

bool
AllowsOverlap(const std::string& protocol)
{
    return protocol != RECONFIGURATION_PATH;
}

} // namespace mftpubsub::reconfiguration
