/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_HANDOFF_MAKE_BROKER_H
#define MFTPUBSUB_PROTOCOLS_HANDOFF_MAKE_BROKER_H

#include "protocols/handoff/broker.h"
#include "protocols/handoff/client.h"

namespace mftpubsub::handoff
{

/// One hand-off scheme.
struct Scheme
{
    std::string name;
    std::unique_ptr<Broker> (*make)(NodeId self, const Options& options);
    ClientOptions client;   //!< of its subscribers, ackBatch as G's evaluation has it (10.2)
    bool routes{false};     //!< over a tree; else events are flooded, and brokers reach each other
    bool advertises{false}; //!< publishers say that they will publish
};

/// @return all schemes
const std::vector<Scheme>& GetSchemes();

/// @return what the subscribers of @p scheme do where brokers have @p options
/// @param carriesFilters whether RECONNECT has the filters (reactive)
/// @throws std::invalid_argument if the scheme knows no such thing
ClientOptions MakeClientOptions(const Scheme& scheme, const Options& options, bool carriesFilters);

/// @throws std::invalid_argument that lists the schemes, for a name that is none
const Scheme& FindScheme(const std::string& name);

} // namespace mftpubsub::handoff

#endif /* MFTPUBSUB_PROTOCOLS_HANDOFF_MAKE_BROKER_H */
