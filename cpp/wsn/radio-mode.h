/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_WSN_RADIO_MODE_H
#define MFTPUBSUB_WSN_RADIO_MODE_H

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mftpubsub
{

/// An output power that a chip has.
struct TxLevel
{
    double dbm{0};        //!< what it sends, dBm
    double consumedMw{0}; //!< what the radio draws meanwhile, mW
};

/// What a radio does with bits while it is in one mode. The modulation is PSK (PARAMETERS).
struct RadioMode
{
    std::string name;            //!< chip/mode
    double dataRate{0};          //!< bit/s
    uint32_t bitsPerSymbol{0};   //!< bit
    double noiseBandwidth{0};    //!< Hz
    float noiseFloorDbm{0};      //!< dBm
    float sensitivityDbm{0};     //!< weaker signals are only interference (point 12), dBm
    int64_t rxTxTurnaroundNs{0}; //!< change between RX and TX, either way, ns
    double listeningMw{0};       //!< consumed while it does not send, turnarounds included, mW
    double sleepingMw{0};        //!< consumed while it sleeps, mW
    std::span<const TxLevel> txLevels;

    /// @return the level of output power @p dbm; nullptr if the chip has none
    const TxLevel* FindTxLevel(double dbm) const;
};

/**
 * @param name name of a mode; known: "CC2420/normal"
 * @return the mode
 * @throw std::invalid_argument for an unknown name
 */
const RadioMode& GetRadioMode(std::string_view name);

/**
 * Bit error rate of PSK (point 13): erfc(sqrt(SNR * noise bandwidth / data rate)) / 2.
 *
 * @param snrDb power of the signal over everything else, dB
 * @param mode the radio's mode
 * @return probability of an error in one bit
 */
double BitErrorRate(double snrDb, const RadioMode& mode);

/**
 * @param snrDb power of the signal over everything else, dB
 * @param bits number of bits
 * @param mode the radio's mode
 * @return probability of no error in @p bits bits; exactly 0 or 1 where a draw of 53 bits could
 *         not tell the difference
 */
double NoErrorProbability(double snrDb, uint64_t bits, const RadioMode& mode);

/**
 * NoErrorProbability to within a few per cent, without its four transcendental functions: enough to
 * decide most draws.
 */
class NoErrorBounds
{
  public:
    /// What NoErrorProbability lies between.
    struct Bounds
    {
        double low;
        double high;

        /// @return whether the probability is neither 0 nor 1
        bool IsUncertain() const
        {
            return low > 0.0 && high < 1.0;
        }
    };

    explicit NoErrorBounds(const RadioMode& mode);

    /**
     * @param snrDb power of the signal over everything else, dB
     * @param bits number of bits
     * @return bounds of NoErrorProbability; both 1 or both 0 only if that is its value
     */
    Bounds Get(float snrDb, uint64_t bits) const;

  private:
    std::vector<double> m_errors; //!< -log of the probability that a bit is right, by step of SNR
};

/// @return the bounds of @p mode, made once
const NoErrorBounds& GetNoErrorBounds(const RadioMode& mode);

} // namespace mftpubsub

#endif /* MFTPUBSUB_WSN_RADIO_MODE_H */
