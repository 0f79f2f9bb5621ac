/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * The attributes and trace sources of the channel.
 */
#include "wsn/wireless-channel.h"

#include "ns3/double.h"
#include "ns3/enum.h"

namespace mftpubsub
{

NS_OBJECT_ENSURE_REGISTERED(WirelessChannel);

ns3::TypeId
WirelessChannel::AddPathLoss(ns3::TypeId tid)
{
    return tid
        .AddAttribute("ReferenceLoss",
                      "Path loss at the reference distance (dB)",
                      ns3::DoubleValue(55.0),
                      ns3::MakeDoubleAccessor(&WirelessChannel::m_referenceLossDb),
                      ns3::MakeDoubleChecker<double>())
        .AddAttribute("ReferenceDistance",
                      "Reference distance of the path loss (m)",
                      ns3::DoubleValue(1.0),
                      ns3::MakeDoubleAccessor(&WirelessChannel::m_referenceDistance),
                      ns3::MakeDoubleChecker<double>(1e-6))
        .AddAttribute("Exponent",
                      "Path loss exponent",
                      ns3::DoubleValue(2.4),
                      ns3::MakeDoubleAccessor(&WirelessChannel::m_exponent),
                      ns3::MakeDoubleChecker<double>(0.1))
        .AddAttribute("Sigma",
                      "Standard deviation of the shadowing (dB)",
                      ns3::DoubleValue(4.0),
                      ns3::MakeDoubleAccessor(&WirelessChannel::m_sigma),
                      ns3::MakeDoubleChecker<double>(0.0))
        .AddAttribute("BidirectionalSigma",
                      "Standard deviation of the difference of both directions (dB)",
                      ns3::DoubleValue(1.0),
                      ns3::MakeDoubleAccessor(&WirelessChannel::m_bidirectionalSigma),
                      ns3::MakeDoubleChecker<double>(0.0))
        .AddAttribute("DeliveryThreshold",
                      "Weaker signals are not delivered at all (dBm)",
                      ns3::DoubleValue(-100.0),
                      ns3::MakeDoubleAccessor(&WirelessChannel::m_deliveryThresholdDbm),
                      ns3::MakeDoubleChecker<double>());
}

ns3::TypeId
WirelessChannel::GetTypeId()
{
    static ns3::TypeId tid =
        AddPathLoss(ns3::TypeId("mftpubsub::WirelessChannel")
                        .SetParent<ns3::Channel>()
                        .SetGroupName("Mftpubsub")
                        .AddConstructor<WirelessChannel>())
            .AddAttribute(
                "Mode",
                "Whether path loss belongs to pairs of nodes, standing or moving, or of cells",
                ns3::EnumValue(STATIC),
                ns3::MakeEnumAccessor<Mode>(&WirelessChannel::m_mode),
                ns3::MakeEnumChecker(STATIC,
                                     "Static",
                                     MOBILE,
                                     "Mobile",
                                     MOVING_PAIRS,
                                     "MovingPairs"))
            .AddAttribute("FieldX",
                          "Width of the field, mobile case (m)",
                          ns3::DoubleValue(100.0),
                          ns3::MakeDoubleAccessor(&WirelessChannel::m_fieldX),
                          ns3::MakeDoubleChecker<double>(0.1))
            .AddAttribute("FieldY",
                          "Height of the field, mobile case (m)",
                          ns3::DoubleValue(100.0),
                          ns3::MakeDoubleAccessor(&WirelessChannel::m_fieldY),
                          ns3::MakeDoubleChecker<double>(0.1))
            .AddAttribute("CellSize",
                          "Side of a cell, mobile case (m)",
                          ns3::DoubleValue(5.0),
                          ns3::MakeDoubleAccessor(&WirelessChannel::m_cellSize),
                          ns3::MakeDoubleChecker<double>(0.1))
            .AddAttribute("UpdateInterval",
                          "Period of the sampling of positions, mobile case",
                          ns3::TimeValue(ns3::MilliSeconds(100)),
                          ns3::MakeTimeAccessor(&WirelessChannel::m_updateInterval),
                          ns3::MakeTimeChecker(ns3::NanoSeconds(1)))
            .AddTraceSource("SignalEnd",
                            "A signal has ended: index of the receiver's device, number of the "
                            "frame, what became of it",
                            ns3::MakeTraceSourceAccessor(&WirelessChannel::m_signalEnd),
                            "mftpubsub::WirelessChannel::SignalTracedCallback")
            .AddTraceSource("PositionsUpdated",
                            "Some node changed its cell, or its position in mode MovingPairs",
                            ns3::MakeTraceSourceAccessor(&WirelessChannel::m_positionsUpdated),
                            "mftpubsub::WirelessChannel::PositionsUpdatedTracedCallback");
    return tid;
}

} // namespace mftpubsub
