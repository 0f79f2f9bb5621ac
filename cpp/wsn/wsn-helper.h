/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_WSN_WSN_HELPER_H
#define MFTPUBSUB_WSN_WSN_HELPER_H

#include "wsn/wireless-channel.h"

#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/trace-helper.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
class AttributeValue;
}

namespace mftpubsub
{

/**
 * Puts sensor network interfaces on nodes. All defaults are Castalia's (PARAMETERS).
 *
 * EnablePcap and its relatives write Ethernet captures (see WsnNetDevice's sniffers) and throw
 * std::runtime_error for a file that cannot be written.
 */
class WsnHelper : public ns3::PcapHelperForDevice
{
  public:
    /**
     * @param sigma standard deviation of the shadowing, dB
     * @param bidirectionalSigma standard deviation of the difference of both directions, dB
     * @return a channel for nodes that stay where they are
     */
    static ns3::Ptr<WirelessChannel> CreateStaticChannel(double sigma = 4.0,
                                                         double bidirectionalSigma = 1.0);

    /**
     * @param fieldX width of the field, m
     * @param fieldY height of the field, m
     * @param sigma standard deviation of the shadowing, dB
     * @param bidirectionalSigma standard deviation of the difference of both directions, dB
     * @return a channel for nodes that move within the field
     * @throw std::invalid_argument for an empty field
     */
    static ns3::Ptr<WirelessChannel> CreateMobileChannel(double fieldX,
                                                         double fieldY,
                                                         double sigma = 4.0,
                                                         double bidirectionalSigma = 1.0);

    /// Output power of the radios to be installed, dBm. @throw std::invalid_argument if unlisted
    void SetTxPower(double dbm);

    /// CCA threshold of the radios to be installed, dBm.
    void SetCcaThreshold(double dbm);

    /// Turns clock drift and random start off (or on again) for devices to be installed.
    void SetPerfectClocks(bool perfect);

    /**
     * @param nodes nodes; those with a mobility model get their positions from it
     * @param channel the channel that they share
     * @return one device a node, whose address is the node's id plus one
     */
    ns3::NetDeviceContainer Install(const ns3::NodeContainer& nodes,
                                    ns3::Ptr<WirelessChannel> channel) const;

    /**
     * Fixes all streams of devices: four a device, in the order of the container. (The channel has
     * its own AssignStreams.)
     *
     * @param devices devices made by Install
     * @param first first stream to use
     * @return the number of streams used
     */
    static int64_t AssignStreams(const ns3::NetDeviceContainer& devices, int64_t first);

  private:
    void EnablePcapInternal(std::string prefix,
                            ns3::Ptr<ns3::NetDevice> device,
                            bool promiscuous,
                            bool explicitFilename) override;

    double m_txPowerDbm{0};          //!< dBm
    double m_ccaThresholdDbm{-95.0}; //!< dBm
    bool m_perfectClocks{false};
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_WSN_WSN_HELPER_H */
