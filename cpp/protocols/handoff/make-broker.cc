/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/handoff/make-broker.h"

#include "protocols/handoff/durable.h"
#include "protocols/handoff/pro-active-r.h"
#include "protocols/handoff/pro-active.h"
#include "protocols/handoff/reactive.h"

#include <stdexcept>

namespace mftpubsub::handoff
{

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
    };
    return SCHEMES;
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
