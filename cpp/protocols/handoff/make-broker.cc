/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/handoff/make-broker.h"

#include "protocols/handoff/durable.h"
#include "protocols/handoff/elvin.h"
#include "protocols/handoff/emma.h"
#include "protocols/handoff/jedi.h"
#include "protocols/handoff/mhh.h"
#include "protocols/handoff/mqtt.h"
#include "protocols/handoff/pro-active-r.h"
#include "protocols/handoff/pro-active.h"
#include "protocols/handoff/reactive-home.h"
#include "protocols/handoff/reactive.h"
#include "protocols/handoff/rebeca.h"
#include "protocols/handoff/siena.h"
#include "protocols/handoff/thesis-broker.h"

#include <stdexcept>

namespace mftpubsub::handoff
{

namespace
{

template <typename Machine, auto... Arguments>
std::unique_ptr<Broker>
Make(NodeId self, const Options& options)
{
    return std::make_unique<Machine>(self, options, Arguments...);
}

} // namespace

const std::vector<Scheme>&
GetSchemes()
{
    static const std::vector<Scheme> SCHEMES{
        {"durable",
         [](NodeId, const Options& options) -> std::unique_ptr<Broker> {
             return std::make_unique<Durable>(options);
         },
         {10, true}},
        {"reactive",
         [](NodeId self, const Options& options) -> std::unique_ptr<Broker> {
             if (options.home)
             {
                 return std::make_unique<ReactiveHome>(self, options);
             }
             return std::make_unique<Reactive>(self, options);
         },
         {10, false}},
        {"pro-active",
         [](NodeId self, const Options& options) -> std::unique_ptr<Broker> {
             return std::make_unique<ProActive>(self, options);
         },
         {1, false}},
        {"pro-active-r",
         [](NodeId self, const Options& options) -> std::unique_ptr<Broker> {
             return std::make_unique<ProActiveR>(self, options);
         },
         {1, false}},
        {"jedi", Make<Jedi>, {.ackBatch = 0, .namesAccepted = true, .announces = true}, true},
        {"siena",
         Make<Siena>,
         {.ackBatch = 0, .carriesFilters = true, .namesAccepted = true, .announces = true},
         true},
        {"rebeca", Make<Rebeca>, {.carriesFilters = true}, true, true},
        {"elvin", Make<Elvin>, {}, true},
        {"mhh", Make<Mhh>, {.namesAccepted = true}, true},
        {"mqtt-clean", Make<Mqtt, true>, {.carriesFilters = true}, true},
        {"mqtt-session", Make<Mqtt, false>, {.carriesFilters = true}, true},
        {"emma", Make<Emma>, {.carriesFilters = true, .isRedirected = true}, true},
        {"phoenix-static",
         Make<ThesisBroker, ThesisBroker::Protocol::PHOENIX>,
         {.ackBatch = 0},
         true},
        {"mft-pubsub-static", Make<ThesisBroker, ThesisBroker::Protocol::MFT_PUBSUB>, {}, true},
    };
    return SCHEMES;
}

ClientOptions
MakeClientOptions(const Scheme& scheme, const Options& options, bool carriesFilters)
{
    if ((options.home || carriesFilters) && scheme.name != "reactive")
    {
        throw std::invalid_argument("home brokers, and filters in RECONNECT, are options of the "
                                    "reactive scheme, not of '" +
                                    scheme.name + "'");
    }
    if (options.home && carriesFilters)
    {
        throw std::invalid_argument("home brokers have the filters: RECONNECT need not");
    }
    auto client = scheme.client;
    client.namesHome = options.home;
    client.carriesFilters |= carriesFilters;
    return client;
}

const Scheme&
FindScheme(const std::string& name)
{
    std::string known;
    for (const auto& scheme : GetSchemes())
    {
        if (scheme.name == name)
        {
            return scheme;
        }
        known += (known.empty() ? "" : ", ") + scheme.name;
    }
    throw std::invalid_argument("no hand-off scheme '" + name + "': there are " + known);
}

} // namespace mftpubsub::handoff
