/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_CONTENT_LOSS_CAUSE_H
#define MFTPUBSUB_CONTENT_LOSS_CAUSE_H

#include <cstdint>

namespace mftpubsub
{

/// Why an event has not reached a subscriber by the end of the run.
enum class LossCause : uint8_t
{
    UNSENT,           //!< no broker ever had it; AODV: the publisher was not up yet
    UNMATCHED,        //!< brokers had it, none matched it for the subscriber
    STRANDED,         //!< matched and handed on, but a later broker had no way on for it
    RADIO,            //!< lost on the air: all retries spent; plain AODV: not heard by the next hop
    QUEUED,           //!< still in a broker's queue
    IN_FLIGHT,        //!< still on its way; AODV: in a queue of AODV's or of the MAC's
    DROPPED_BY_QUEUE, //!< a queue was full, or had kept it for too long
    CRASHED,          //!< was on a node that crashed
    NO_ROUTE,         //!< AODV found no route, or it waited too long for one
    EXPIRED_ROUTE,    //!< AODV: a node on the way had no valid route any more
    NO_ADDRESS,       //!< AODV: the next hop did not answer ARP
    TTL,              //!< AODV: too many hops
    MAC,              //!< plain AODV: the MAC's buffer was full
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_CONTENT_LOSS_CAUSE_H */
