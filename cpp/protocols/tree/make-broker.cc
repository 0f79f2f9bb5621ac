/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/tree/make-broker.h"

#include "protocols/reconfiguration/deferred-unsub.h"
#include "protocols/reconfiguration/dispatching-broker.h"
#include "protocols/reconfiguration/strawman.h"
#include "protocols/tree/cascading.h"
#include "protocols/tree/flooding.h"
#include "protocols/tree/mft-pubsub-2.h"
#include "protocols/tree/mft-pubsub-r.h"
#include "protocols/tree/mft-pubsub.h"
#include "protocols/tree/phoenix.h"
#include "protocols/tree/simple-routing.h"

#include <functional>
#include <map>
#include <stdexcept>

namespace mftpubsub
{

namespace
{

using Maker = std::function<std::unique_ptr<Broker>(NodeId, const BrokerOptions&)>;

uint32_t
DrawNumber(const UniformSource& uniform)
{
    return static_cast<uint32_t>(uniform() * (uint64_t{1} << 32));
}

/// A dispatcher of C on the overlay.
template <typename Machine>
std::unique_ptr<Broker>
MakeDispatching(NodeId self, const BrokerOptions& options)
{
    const reconfiguration::TimerOptions timers{options.unsubscribeAfter};
    const auto opened = options.renaming ? DrawNumber(options.renaming) : 0;
    return std::make_unique<DispatchingBroker>(std::make_unique<Machine>(self, timers), opened);
}

std::unique_ptr<Broker>
MakeMftPubsub(NodeId self, const BrokerOptions& options)
{
    return std::make_unique<MftPubsub>(self,
                                       MftPubsub::Options{options.literalChildren},
                                       options.queues);
}

std::unique_ptr<Broker>
MakeMftPubsubR(NodeId self, const BrokerOptions& options)
{
    return std::make_unique<MftPubsubR>(self, options.addressing, options.queues);
}

const std::map<std::string, Maker, std::less<>>&
GetMakers()
{
    static const std::map<std::string, Maker, std::less<>> MAKERS{
        {"simple-routing",
         [](NodeId self, const auto&) { return std::make_unique<SimpleRouting>(self); }},
        {"phoenix",
         [](NodeId self, const auto& options) {
             return std::make_unique<Phoenix>(self, options.queues);
         }},
        {"cascading",
         [](NodeId self, const auto& options) {
             return std::make_unique<Cascading>(self,
                                                Cascading::Options{options.replay},
                                                options.queues);
         }},
        {"mft-pubsub", MakeMftPubsub},
        {"mft-pubsub-tuned", MakeMftPubsub}, // its policies are its own (own-policies.h)
        {"mft-pubsub-r", MakeMftPubsubR},
        {"mft-pubsub-2",
         [](NodeId self, const auto& options) {
             return std::make_unique<MftPubsub2>(self,
                                                 options.addressing,
                                                 options.overhearing,
                                                 options.queues);
         }},
        {"strawman", MakeDispatching<reconfiguration::Strawman>},
        {"deferred-unsub-timed", MakeDispatching<reconfiguration::DeferredUnsubTimed>},
        {"deferred-unsub-notified", MakeDispatching<reconfiguration::DeferredUnsubNotified>},
        {"flooding", [](NodeId self, const auto&) { return std::make_unique<Flooding>(self); }},
    };
    return MAKERS;
}

} // namespace

const std::vector<std::string>&
GetBrokerProtocols()
{
    static const auto NAMES = [] {
        std::vector<std::string> names;
        for (const auto& [name, maker] : GetMakers())
        {
            names.push_back(name);
        }
        return names;
    }();
    return NAMES;
}

std::unique_ptr<Broker>
MakeBroker(std::string_view protocol, NodeId self, const BrokerOptions& options)
{
    const auto found = GetMakers().find(protocol);
    if (found == GetMakers().end())
    {
        std::string known;
        for (const auto& name : GetBrokerProtocols())
        {
            known += (known.empty() ? "" : ", ") + name;
        }
        throw std::invalid_argument("no protocol '" + std::string(protocol) + "': known are " +
                                    known);
    }
    return found->second(self, options);
}

} // namespace mftpubsub
