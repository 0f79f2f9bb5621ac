/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Runs the ns3::TestSuite that `--suite=NAME` names, of those linked into this program; `--list`
 * lists them.
 */
#include "ns3/test.h"

int
main(int argc, char* argv[])
{
    return ns3::TestRunner::Run(argc, argv);
}
