/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_CONTENT_STATE_POWERS_H
#define MFTPUBSUB_CONTENT_STATE_POWERS_H

namespace mftpubsub
{

/// What a radio draws in each of its states, W. The defaults are ns3::WifiRadioEnergyModel's
/// currents at 3 V.
struct StatePowers
{
    double transmit{1.14};
    double receive{0.939};
    double listen{0.819}; //!< whether the channel is busy or not
    double sleep{0.099};
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_CONTENT_STATE_POWERS_H */
