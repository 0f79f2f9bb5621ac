/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * What Python sees of the reconfiguration family: one text in, one text out.
 */
#ifndef MFTPUBSUB_SCENARIO_RECONFIGURATION_TEXT_H
#define MFTPUBSUB_SCENARIO_RECONFIGURATION_TEXT_H

#include <string>

namespace mftpubsub
{

/**
 * Runs one world under one protocol.
 *
 * @param text a line for each thing, `KEY VALUE ...`. Of the run: `protocol`, `seed`, `sub-bits`,
 * `unsubscribe-after`, `subscribe-after`, `bin` (s). A world that is given has `dispatchers`, and
 * for each of its parts a line `link ONE OTHER`, `wants DISPATCHER PATTERN ...`, `break SECONDS ID
 * ONE OTHER`, `replace SECONDS ID ONE OTHER`, changes in the order of time. A world that is drawn
 * has a `policy` and the members of WorldOptions, words joined by hyphens.
 *
 * @return a JSON object: `messages`, by kind [hops, of them with patterns, cost]; `involved`,
 * dispatchers by reconfiguration; `event_hops` and `good_event_hops`; by bin `expected` and
 * `delivered` (event, core subscriber) and `traffic`; `faults`, texts
 * @throws std::invalid_argument for a text or a world that makes no sense
 */
std::string RunReconfiguration(const std::string& text);

} // namespace mftpubsub

#endif /* MFTPUBSUB_SCENARIO_RECONFIGURATION_TEXT_H */
