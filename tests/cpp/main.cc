/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Runs every ns3::TestSuite linked into this program. `--suite=NAME` runs one, `--list` names them.
 */
#include "ns3/test.h"

int
main(int argc, char* argv[])
{
    return ns3::TestRunner::Run(argc, argv);
}
