/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_ARRIVALS_H
#define MFTPUBSUB_HOSTS_ARRIVALS_H

#include "ns3/nstime.h"
#include "ns3/ptr.h"
#include "ns3/random-variable-stream.h"

#include <functional>
#include <optional>
#include <vector>

namespace mftpubsub
{

/**
 * When a publisher's events come: called with the time of the last event, at first with the time
 * from which events may come; answers the time of the next one, none if there is none. It remembers
 * where it is, so each publisher needs its own.
 */
using Arrivals =
    std::function<std::optional<ns3::Time>(ns3::Time after, ns3::UniformRandomVariable& uniform)>;

/// One event each @p interval, with a random phase.
Arrivals MakePeriodicArrivals(ns3::Time interval);

/// A Poisson process of @p rate events per second.
Arrivals MakePoissonArrivals(double rate);

/// How bursts and silences alternate.
struct OnOffOptions
{
    double rate{1.0};       //!< events per second, bursts and silences together
    double onSeconds{1.0};  //!< mean length of a burst, exponential
    double offSeconds{1.0}; //!< mean length of a silence, exponential
};

/// A Poisson process within bursts, nothing within silences; begins in its steady state.
Arrivals MakeOnOffArrivals(const OnOffOptions& options);

/// How a rate goes up and down.
struct DiurnalOptions
{
    double rate{1.0};          //!< events per second, averaged over a period
    double periodSeconds{1.0}; //!< from peak to peak
    double peakSeconds{0.0};   //!< time of a peak
    double depth{1.0};         //!< 0: constant; 1: nothing at all halfway between two peaks
};

/// A Poisson process whose rate follows a cosine.
Arrivals MakeDiurnalArrivals(const DiurnalOptions& options);

/// Events at @p times, ascending.
Arrivals MakeRecordedArrivals(std::vector<ns3::Time> times);

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_ARRIVALS_H */
