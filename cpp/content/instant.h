/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_CONTENT_INSTANT_H
#define MFTPUBSUB_CONTENT_INSTANT_H

#include <chrono>
#include <functional>

namespace mftpubsub
{

/// A point in simulated time, or a span of it.
using Instant = std::chrono::nanoseconds;

/// Gives a number uniform in [0, 1) at each call.
using UniformSource = std::function<double()>;

} // namespace mftpubsub

#endif /* MFTPUBSUB_CONTENT_INSTANT_H */
