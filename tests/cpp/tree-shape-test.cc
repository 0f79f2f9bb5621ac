/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Trees drawn by hand, and what they look like.
 */
#include "stacks/tree-shape.h"

#include "ns3/test.h"

namespace mftpubsub::tree_shape_test
{

using ns3::TestCase;
using ns3::TestSuite;

namespace
{

class DrawnTreesTest : public TestCase
{
  public:
    DrawnTreesTest()
        : TestCase("depths and branches of trees drawn by hand")
    {
    }

  private:
    void DoRun() override
    {
        TreeShape shape;
        NS_TEST_EXPECT_MSG_EQ(shape.GetLargestBranch().has_value(), false, "no look, no tree");
        NS_TEST_EXPECT_MSG_EQ(shape.GetMeanDepth(0).has_value(), false, "no look, no depth");

        // 0 has two branches, 1 with 3 and 4 below it, and 2: three of four are on the larger one
        shape.Look({{0, NO_NODE}, {1, 0}, {2, 0}, {3, 1}, {4, 1}});
        Expect(shape, 0, 0);
        Expect(shape, 1, 1);
        Expect(shape, 4, 2);
        NS_TEST_EXPECT_MSG_EQ(*shape.GetLargestBranch(), 0.75, "three of four");

        // a chain of three, and a pair that tells nothing of balance
        shape.Look({{0, 1}, {1, 2}, {2, NO_NODE}, {3, NO_NODE}, {4, 3}});
        Expect(shape, 0, 1);
        Expect(shape, 1, 1);
        Expect(shape, 2, 0.5);
        Expect(shape, 4, 1.5);
        NS_TEST_EXPECT_MSG_EQ(*shape.GetLargestBranch(), 5.0 / 6, "and both of two");
    }

    void Expect(const TreeShape& shape, NodeId broker, double depth)
    {
        const auto found = shape.GetMeanDepth(broker);
        NS_TEST_ASSERT_MSG_EQ(found.has_value(), true, "broker " << broker << " is in a tree");
        NS_TEST_EXPECT_MSG_EQ(*found, depth, "depth of broker " << broker);
    }
};

class NoTreeTest : public TestCase
{
  public:
    NoTreeTest()
        : TestCase("circles and ways to who is not there are no trees")
    {
    }

  private:
    void DoRun() override
    {
        TreeShape shape;
        shape.Look({{0, 1}, {1, 0}, {2, 7}, {3, 2}, {4, 4}});
        for (NodeId broker = 0; broker < 5; ++broker)
        {
            NS_TEST_EXPECT_MSG_EQ(shape.GetMeanDepth(broker).has_value(), false, "not in a tree");
        }
        NS_TEST_EXPECT_MSG_EQ(shape.GetLargestBranch().has_value(), false, "no tree");
    }
};

class TreeShapeTestSuite : public TestSuite
{
  public:
    TreeShapeTestSuite()
        : TestSuite("mftpubsub-tree-shape", Type::UNIT)
    {
        AddTestCase(new DrawnTreesTest, TestCase::Duration::QUICK);
        AddTestCase(new NoTreeTest, TestCase::Duration::QUICK);
    }
};

const TreeShapeTestSuite g_treeShapeTestSuite;

} // namespace

} // namespace mftpubsub::tree_shape_test
