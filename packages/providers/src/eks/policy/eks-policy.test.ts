import { describe, expect, test } from "vitest";

import { creating } from "../../testing/contract/creating.ts";
import { deleting } from "../../testing/contract/deleting.ts";
import { secrets } from "../../testing/contract/secrets.ts";
import { SdkApi } from "../aws/sdk-api.ts";
import { isAwsError } from "../aws/aws-api.ts";
import { clusterTag, nameTag } from "../names.ts";
import { DrivenCluster } from "../testing/driven-cluster.ts";
import { eksStage, openEksWorld, testClusterId, testKey, testName } from "../testing/eks-stage.ts";
import { eksPolicy } from "./eks-policy.ts";

describe.each([
  ["its name", { name: "web" }],
  ["its name and id", { name: "web", id: testClusterId }],
])("the policy for a cluster of %s", (_, subject) => {
  const policies = [eksPolicy(subject)];

  test("allows all that the provider does, from creation to sweep", async () => {
    const stage = eksStage({ openWorld: () => openEksWorld({ policies }) });
    await creating(stage);
    await deleting(stage);
    await secrets(stage);
    expect.hasAssertions();
  });

  test("denies what is of others, and what has other tags", async () => {
    await using world = await openEksWorld({ policies });
    await using api = new SdkApi();
    const { aws } = world;
    const other = { ...testKey, accessKeyId: "AKIACANARY0000000002" };
    aws.addUser("other", undefined, other);
    const base = { region: "eu-west-1", endpoint: aws.url };
    const [mine, theirs] = [
      { ...base, key: testKey },
      { ...base, key: other },
    ];
    const tagged = (tags: Record<string, string>) => ({
      CidrBlock: "10.0.0.0/16",
      TagSpecifications: [
        { ResourceType: "vpc" as const, Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })) },
      ],
    });
    const { Vpc } = await api.send(theirs, "ec2:CreateVpc", tagged({ [nameTag]: "db", [clusterTag]: "x" }));
    const denied = (error: unknown): boolean => isAwsError(error, "UnauthorizedOperation");
    const refused = async (call: Promise<unknown>): Promise<void> => {
      await expect(call).rejects.toSatisfy(denied);
    };
    await refused(api.send(mine, "ec2:DeleteVpc", { VpcId: Vpc?.VpcId }));
    await refused(
      api.send(mine, "ec2:CreateSubnet", {
        VpcId: Vpc?.VpcId,
        CidrBlock: "10.0.0.0/20",
        AvailabilityZone: "eu-west-1a",
        TagSpecifications: [
          {
            ResourceType: "subnet",
            Tags: [
              { Key: nameTag, Value: "web" },
              { Key: clusterTag, Value: testClusterId },
            ],
          },
        ],
      }),
    );
    await refused(api.send(mine, "ec2:CreateVpc", tagged({ [nameTag]: "db", [clusterTag]: testClusterId })));
    await refused(api.send(mine, "ec2:CreateVpc", tagged({ [nameTag]: "web" })));
    await expect(
      api.send(mine, "iam:CreateRole", { RoleName: "admin", AssumeRolePolicyDocument: "{}" }),
    ).rejects.toSatisfy((error) => isAwsError(error, "AccessDenied"));
    expect(aws.world.vpcs.all).toHaveLength(1);
  });
});

const longestName = "x".repeat(63);

test.each([
  ["its name", { name: longestName }],
  ["its name and id", { name: longestName, id: testClusterId, deletesVolumes: true }],
])("the policy for a cluster of the longest name, by %s, is one that IAM takes", (_, subject) => {
  expect(JSON.stringify(eksPolicy(subject)).length).toBeLessThanOrEqual(6_144);
});

test("with its id, what nodes and controllers of load balancers left by their own tags is taken away too", async () => {
  const policies = [eksPolicy({ name: "web", id: testClusterId })];
  await using world = await openEksWorld({ policies });
  const cluster = new DrivenCluster(world);
  await cluster.made();
  const things = world.aws.world;
  const { vpcId, subnetIds } = things.clusters.get(testName);
  const add = (prefix: string, type: string, tags: Record<string, string>) => {
    const id = things.newId(prefix);
    return { ...things.thing(id, things.arn("ec2", `${type}/${id}`), tags), vpcId };
  };
  things.interfaces.add({
    ...add("eni", "network-interface", { "cluster.k8s.amazonaws.com/name": testName }),
    subnetId: subnetIds[0] ?? "",
    description: "aws-K8S-i-0123456789abcdef0",
    interfaceType: "interface",
    groupIds: [],
    status: "available",
  });
  things.securityGroups.add({
    ...add("sg", "security-group", { "elbv2.k8s.aws/cluster": testName }),
    name: `k8s-traffic-${testName}`,
  });
  const others = add("sg", "security-group", { "elbv2.k8s.aws/cluster": "another" });
  things.securityGroups.add({ ...others, vpcId: "vpc-another", name: "k8s-traffic-another" });
  await cluster.deleted();
  expect(world.everything()).toEqual({});
  expect(things.interfaces.all).toEqual([]);
  expect(things.securityGroups.all.map(({ id }) => id)).toEqual([others.id]);
});
