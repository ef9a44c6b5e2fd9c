import { addVolume } from "@bowline/test-aws";
import { expect, test } from "vitest";

import { eksPolicy } from "./policy/eks-policy.ts";
import { DrivenCluster } from "./testing/driven-cluster.ts";
import { eksSpec, openEksWorld, testKey, testName } from "./testing/eks-stage.ts";

test.each([
  ["aws", "eu-west-1", "ec2.amazonaws.com"],
  ["aws-cn", "cn-north-1", "ec2.amazonaws.com.cn"],
  ["aws-us-gov", "us-gov-west-1", "ec2.amazonaws.com"],
])(
  "a cluster is made and deleted in the partition %s, by the same policy",
  async (partition, region, service) => {
    await using world = await openEksWorld({ region, policies: [eksPolicy({ name: "web" })] });
    const spec = { ...eksSpec, region };
    const cluster = new DrivenCluster(world, testKey, spec);
    await cluster.made();
    expect(world.everything()).toEqual(world.complete(spec));
    const { roles, accessEntries } = world.aws.world;
    const node = roles.all.find(({ id }) => id.endsWith("-node"));
    expect(node?.trust).toContain(`"${service}"`);
    const policies = [...roles.all, ...accessEntries.all].flatMap((each) => [...each.policies]);
    expect(policies).toHaveLength(5);
    for (const policy of policies) expect(policy).toMatch(new RegExp(`^arn:${partition}:`, "u"));
    const volume = addVolume(world.aws.world, testName);
    const { leftOver } = await cluster.until({ reason: "LeftOver" }, "absent");
    expect(leftOver).toEqual([volume.arn]);
    volume.remove();
    await cluster.deleted();
    expect(world.everything()).toEqual({});
  },
);
