/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * The pieces of the radio, one by one: arithmetic of powers, bit errors, RSSI window, shadowing.
 */
#include "wsn/neighbour-grid.h"
#include "wsn/power.h"
#include "wsn/radio-mode.h"
#include "wsn/radio.h"
#include "wsn/rssi-window.h"
#include "wsn/shadowing.h"

#include "ns3/random-variable-stream.h"
#include "ns3/test.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

namespace mftpubsub::wsn_radio_test
{

using ns3::TestCase;
using ns3::TestSuite;

namespace
{

class StaircaseTestCase : public TestCase
{
  public:
    StaircaseTestCase()
        : TestCase("Powers add by a staircase on their difference")
    {
    }

  private:
    void DoRun() override
    {
        const struct
        {
            float difference;
            float gain;
        } steps[] = {{0, 3},
                     {1, 3},
                     {1.5, 2.5},
                     {2, 2.5},
                     {2.5, 2},
                     {3, 2},
                     {4, 1.5},
                     {5, 1.5},
                     {6, 1},
                     {7, 1},
                     {7.5, 0}};

        for (const auto& [difference, gain] : steps)
        {
            const float sum = -80.0F + gain;
            NS_TEST_EXPECT_MSG_EQ(AddPowerDbm(-80, -80 - difference),
                                  sum,
                                  "difference " << difference);
            NS_TEST_EXPECT_MSG_EQ(AddPowerDbm(-80 - difference, -80), sum, "symmetric");
        }
        NS_TEST_EXPECT_MSG_NE(AddPowerDbm(AddPowerDbm(-80, -82.5), -86),
                              AddPowerDbm(-80, AddPowerDbm(-82.5, -86)),
                              "the order of additions matters");
    }
};

class BitErrorTestCase : public TestCase
{
  public:
    BitErrorTestCase()
        : TestCase("Bit errors follow the PSK formula, and certainty is exact")
    {
    }

  private:
    void DoRun() override
    {
        const RadioMode& mode = GetRadioMode("CC2420/normal");
        const double ber = 0.5 * std::erfc(std::sqrt(std::pow(10.0, 0.7) * 194.0 / 250.0));
        NS_TEST_EXPECT_MSG_EQ_TOL(BitErrorRate(7, mode), ber, 1e-15, "BER at 7 dB");
        NS_TEST_EXPECT_MSG_EQ_TOL(NoErrorProbability(7, 1000, mode),
                                  std::pow(1 - ber, 1000),
                                  1e-12,
                                  "1000 bits at 7 dB");
        NS_TEST_EXPECT_MSG_EQ(NoErrorProbability(25, 8192, mode), 1.0, "certain success");
        NS_TEST_EXPECT_MSG_EQ(NoErrorProbability(-5, 8192, mode), 0.0, "certain failure");
        CheckBounds(mode);
    }

    void CheckBounds(const RadioMode& mode)
    {
        uint32_t narrow = 0;
        uint32_t tried = 0;
        for (float snrDb = -20; snrDb < 30; snrDb += 0.007F)
        {
            for (const uint64_t bits : {1, 40, 1000, 8192})
            {
                const auto [low, high] = GetNoErrorBounds(mode).Get(snrDb, bits);
                const double exact = NoErrorProbability(snrDb, bits, mode);
                NS_TEST_ASSERT_MSG_EQ((low <= exact && exact <= high), true, snrDb << " dB");
                NS_TEST_ASSERT_MSG_EQ((low != 1 || exact == 1), true, snrDb << " dB");
                NS_TEST_ASSERT_MSG_EQ((high != 0 || exact == 0), true, snrDb << " dB");
                ++tried;
                narrow += high - low < 0.1;
            }
        }
        NS_TEST_EXPECT_MSG_GT(narrow, tried / 2, "most of the bounds say something");
    }
};

class ModeTestCase : public TestCase
{
  public:
    ModeTestCase()
        : TestCase("Unknown modes and unlisted output powers are refused")
    {
    }

  private:
    void DoRun() override
    {
        const auto radio = ns3::CreateObject<Radio>();
        for (const double dbm : {0.0, -1.0, -3.0, -5.0, -7.0, -10.0, -15.0, -25.0})
        {
            radio->SetTxPower(dbm);
            NS_TEST_EXPECT_MSG_EQ(radio->GetTxPower(), dbm, "a level of the CC2420");
        }
        for (const double dbm : {1.0, -2.0, -0.5, 20.0})
        {
            bool refused = false;
            try
            {
                radio->SetTxPower(dbm);
            }
            catch (const std::invalid_argument&)
            {
                refused = true;
            }
            NS_TEST_EXPECT_MSG_EQ(refused, true, dbm << " dBm is not a level of the CC2420");
        }
        bool refused = false;
        try
        {
            radio->SetMode("CC1000/normal");
        }
        catch (const std::invalid_argument&)
        {
            refused = true;
        }
        NS_TEST_EXPECT_MSG_EQ(refused, true, "unknown mode");
        NS_TEST_EXPECT_MSG_EQ(radio->GetAirTime(125), ns3::MilliSeconds(4), "125 B take 4 ms");
    }
};

class WindowTestCase : public TestCase
{
  public:
    WindowTestCase()
        : TestCase("The RSSI window weighs stretches of power by whole sixteenths")
    {
    }

  private:
    void DoRun() override
    {
        RssiWindow window(128'000);
        window.Push(0, -100);
        window.Push(1'000'000, -80);
        NS_TEST_EXPECT_MSG_LT(window.Read(1'007'900), -95, "7.9 us are less than a step");
        NS_TEST_EXPECT_MSG_EQ_TOL(window.Read(1'008'100),
                                  -80 - 12.0412,
                                  1.001,
                                  "8.1 us are one sixteenth");
        NS_TEST_EXPECT_MSG_EQ_TOL(window.Read(1'200'000), -80, 1e-6, "a full window");
        window.Push(1'300'000, -100);
        NS_TEST_EXPECT_MSG_GT(window.Read(1'300'000 + 119'000), -95, "still busy after the end");
        NS_TEST_EXPECT_MSG_LT(window.Read(1'300'000 + 121'000), -95, "but not for ever");
        for (int64_t t = 2'000'000; t < 3'000'000; t += 100)
        {
            window.Push(t, -70);
        }
        NS_TEST_EXPECT_MSG_EQ(window.Current(), -70, "the newest step");
        window.Push(5'000'000, -90);
        NS_TEST_EXPECT_MSG_EQ_TOL(window.Read(6'000'000), -90, 1e-6, "the old is forgotten");
        CompareWithWholeHistory();
    }

    /// Steps at random, a few or many in a window, against one that forgets nothing.
    void CompareWithWholeHistory()
    {
        constexpr int64_t length = 128'000;
        const auto random = ns3::CreateObject<ns3::UniformRandomVariable>();
        random->SetStream(1);
        RssiWindow window(length);
        std::vector<std::pair<int64_t, float>> steps;
        int64_t now = 0;
        for (int i = 0; i < 20'000; ++i)
        {
            now += random->GetInteger(0, i % 1000 < 500 ? 2'000 : 200'000);
            if (i % 777 == 0)
            {
                window.Clear();
                steps.clear();
            }
            const auto power = static_cast<float>(random->GetValue(-100, -60));
            window.Push(now, power);
            steps.emplace_back(now, power);
            const int64_t later = now + random->GetInteger(0, 100'000);
            float expected = -200;
            int64_t end = later;
            for (auto step = steps.rbegin(); step != steps.rend() && end > later - length; ++step)
            {
                const int64_t share = end - std::max(step->first, later - length);
                const auto sixteenths = static_cast<uint32_t>(share * 16 / length);
                expected = AddPowerDbm(expected, step->second + WindowShareDb(sixteenths));
                end = step->first;
            }
            NS_TEST_ASSERT_MSG_EQ(window.Read(later), expected, "step " << i);
        }
    }
};

class ShadowingTestCase : public TestCase
{
  public:
    ShadowingTestCase()
        : TestCase("Shadowing is a function of the pair, with the right moments")
    {
    }

  private:
    void DoRun() override
    {
        const Shadowing shadowing(42, 4, 1);
        const Shadowing same(42, 4, 1);
        const Shadowing other(43, 4, 1);
        NS_TEST_EXPECT_MSG_EQ(shadowing.Get(7, 3), same.Get(7, 3), "whenever asked for");
        NS_TEST_EXPECT_MSG_NE(shadowing.Get(7, 3), other.Get(7, 3), "another key, another map");
        NS_TEST_EXPECT_MSG_EQ(Shadowing(42, 0, 0).Get(1, 2), 0.0, "no shadowing");
        CheckMany(shadowing);
        CheckNone();
        const int n = 40'000;
        double sum = 0;
        double squares = 0;
        double asymmetry = 0;
        for (int i = 0; i < n; ++i)
        {
            const double ab = shadowing.Get(i, i + 1);
            const double ba = shadowing.Get(i + 1, i);
            sum += ab;
            squares += ab * ab;
            asymmetry += (ab - ba) * (ab - ba);
        }
        // Five standard errors: false alarm below 1e-6 each.
        NS_TEST_EXPECT_MSG_EQ_TOL(sum / n, 0, 5 * 4.031 / std::sqrt(n), "mean");
        NS_TEST_EXPECT_MSG_EQ_TOL(std::sqrt(squares / n), 4.031, 0.072, "standard deviation");
        NS_TEST_EXPECT_MSG_EQ_TOL(std::sqrt(asymmetry / n), 1, 0.018, "of both directions");
    }

    /// What a search does for many pairs is what Get does for one.
    void CheckMany(const Shadowing& shadowing)
    {
        constexpr uint32_t count = 200'000;
        std::vector<uint32_t> places;
        std::vector<float> means;
        std::vector<uint32_t> largest;
        for (uint32_t i = 0; i < count; ++i)
        {
            places.push_back(i);
            means.push_back(40.0F + static_cast<float>(i % 1009) / 13);
            largest.push_back(shadowing.GetLargestDraw(Limit(i)));
        }
        std::vector<float> losses(count);
        shadowing.AddTo(FROM, places, means, losses);
        std::vector<uint8_t> plausible(count / 8);
        shadowing.FindPlausible(FROM, 0, largest, plausible);
        uint32_t excluded = 0;
        for (uint32_t i = 0; i < count; ++i)
        {
            const double exact = shadowing.Get(FROM, i);
            NS_TEST_ASSERT_MSG_EQ(losses[i],
                                  static_cast<float>(means[i] + exact),
                                  "rounded as the exact sum, place " << i);
            const bool isExcluded = !(plausible[i / 8] >> (i % 8) & 1);
            NS_TEST_ASSERT_MSG_EQ((!isExcluded || exact > Limit(i)), true, "place " << i);
            excluded += isExcluded;
        }
        NS_TEST_EXPECT_MSG_GT(excluded, 80'000, "a large part of those above the limit");
    }

    void CheckNone()
    {
        const Shadowing none(42, 0, 0);
        const std::vector<uint32_t> places{2, 3};
        const std::vector<float> means{70, std::numeric_limits<float>::infinity()};
        std::vector<float> losses(2);
        none.AddTo(1, places, means, losses);
        NS_TEST_EXPECT_MSG_EQ(losses[0], 70, "no shadowing");
        NS_TEST_EXPECT_MSG_EQ(losses[1], means[1], "and out of reach stays so");
        const std::vector<uint32_t> largest(8, none.GetLargestDraw(-1));
        std::vector<uint8_t> plausible(1);
        none.FindPlausible(1, 2, largest, plausible);
        NS_TEST_EXPECT_MSG_EQ(+plausible[0], 0, "nor any luck");
    }

    /// @return a shadowing for a place, dB
    static double Limit(uint32_t place)
    {
        return 2.0 - (place % 13);
    }

    static constexpr uint32_t FROM = 100'003; //!< among the places
};

class GridTestCase : public TestCase
{
  public:
    GridTestCase()
        : TestCase("The grid finds every point within the radius, after moves too")
    {
    }

  private:
    void DoRun() override
    {
        NeighbourGrid grid;
        grid.Reset(0, 0, 1000, 1000, 50);
        for (uint32_t i = 0; i < 100; ++i)
        {
            grid.Add(i, 10.0 * i, 5.0 * i);
        }
        grid.Move(99, 990, 495, 3, 3);
        grid.Move(98, 980, 490, -20, 2000);
        std::set<uint32_t> found;
        grid.Visit(0, 0, 100, [&found](uint32_t id) { found.insert(id); });
        for (const uint32_t id : {0, 1, 5, 8, 99})
        {
            NS_TEST_EXPECT_MSG_EQ(found.count(id), 1, "point " << id);
        }
        NS_TEST_EXPECT_MSG_LT(found.size(), 40, "and not all");
        NS_TEST_EXPECT_MSG_EQ(found.count(98), 0, "outside the grid is at its edge");
        grid.Visit(80, 1950, 150, [&found](uint32_t id) { found.insert(id); });
        NS_TEST_EXPECT_MSG_EQ(found.count(98), 1, "where it is found from outside");
    }
};

class WsnRadioTestSuite : public TestSuite
{
  public:
    WsnRadioTestSuite()
        : TestSuite("mftpubsub-wsn-radio", Type::UNIT)
    {
        AddTestCase(new StaircaseTestCase, Duration::QUICK);
        AddTestCase(new BitErrorTestCase, Duration::QUICK);
        AddTestCase(new ModeTestCase, Duration::QUICK);
        AddTestCase(new WindowTestCase, Duration::QUICK);
        AddTestCase(new ShadowingTestCase, Duration::QUICK);
        AddTestCase(new GridTestCase, Duration::QUICK);
    }
};

const WsnRadioTestSuite g_suite; //!< registers itself

} // namespace

} // namespace mftpubsub::wsn_radio_test
