/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_DAEMON_CONFIG_H
#define MFTPUBSUB_DAEMON_CONFIG_H

#include "live/settings.h"

#include <string>
#include <vector>

namespace mftpubsub::live
{

/// What the daemon's file says.
struct Config
{
    Settings settings;
    std::string socket;                 //!< path of the local interface; empty: none
    std::vector<std::string> subscribe; //!< filters, asked for at each start
};

/**
 * Reads a file of lines `key = value`; # begins a comment line.
 *
 * @throws std::invalid_argument that names file, line, key and what would be right
 */
Config ReadConfig(const std::string& path);

} // namespace mftpubsub::live

#endif /* MFTPUBSUB_DAEMON_CONFIG_H */
