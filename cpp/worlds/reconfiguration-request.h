/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * What Python sees of the reconfiguration family: one JSON text in, one JSON text out.
 */
#ifndef MFTPUBSUB_WORLDS_RECONFIGURATION_REQUEST_H
#define MFTPUBSUB_WORLDS_RECONFIGURATION_REQUEST_H

#include <string>

namespace mftpubsub
{

/**
 * Draws a world and runs it.
 *
 * @param request a DrawnRequest as JSON
 * @return a WorldReport as JSON
 * @throws std::invalid_argument for a request or a world that makes no sense
 */
std::string RunDrawnWorld(const std::string& request);

/// The same of a GivenRequest, a world that is written down.
std::string RunGivenWorld(const std::string& request);

} // namespace mftpubsub

#endif /* MFTPUBSUB_WORLDS_RECONFIGURATION_REQUEST_H */
