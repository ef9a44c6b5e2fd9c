import { describe, expect, test } from "vitest";

import { creating } from "../../testing/contract/creating.ts";
import { deleting } from "../../testing/contract/deleting.ts";
import { secrets } from "../../testing/contract/secrets.ts";
import { SdkApi } from "../aws/sdk-api.ts";
import { isAwsError } from "../aws/aws-api.ts";
import { commands } from "../aws/sdk-commands.ts";
import { clusterTag, nameTag } from "../names.ts";
import { DrivenCluster } from "../testing/driven-cluster.ts";
import { eksSpec, eksStage, openEksWorld, testClusterId, testKey, testName } from "../testing/eks-stage.ts";
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

  test("allows changes of the version, of sizes, of types and of groups", async () => {
    await using world = await openEksWorld({ policies });
    const cluster = new DrivenCluster(world);
    await cluster.made();
    const { changedSpec = eksSpec } = eksStage();
    cluster.spec = changedSpec;
    await cluster.made();
    expect(world.everything()).toEqual(world.complete(changedSpec));
    await cluster.deleted();
    expect(world.everything()).toEqual({});
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
    const control = { name: testName, roleArn: "arn:aws:iam::111122223333:role/any", resourcesVpcConfig: {} };
    for (const tags of [{}, { [nameTag]: "db", [clusterTag]: "x" }]) {
      await expect(api.send(mine, "eks:CreateCluster", { ...control, tags })).rejects.toSatisfy((error) =>
        isAwsError(error, "AccessDeniedException"),
      );
    }
    await expect(
      api.send(mine, "iam:CreateRole", { RoleName: "admin", AssumeRolePolicyDocument: "{}" }),
    ).rejects.toSatisfy((error) => isAwsError(error, "AccessDenied"));
    expect(aws.world.vpcs.all).toHaveLength(1);
  });
});

test("the policy names every call that is made for a cluster, and beside them only what AWS asks for such a call", () => {
  const actions = eksPolicy({ name: "web", id: testClusterId, deletesVolumes: true }).Statement.flatMap(
    ({ Action }) => Action,
  );
  const isNamed = (call: string): boolean =>
    actions.some((action) => (action.endsWith("*") ? call.startsWith(action.slice(0, -1)) : call === action));
  // Names of hosts have a policy of their own, and a role to become is named by the trust of that role.
  const calls = Object.keys(commands).filter((call) => !/^(?:route53:|sts:AssumeRole$)/u.test(call));
  expect(calls.filter((call) => !isNamed(call))).toEqual([]);
  const others = actions.filter((action) => !action.endsWith("*") && !calls.includes(action));
  expect(others.toSorted()).toEqual([
    "ec2:CreateTags",
    "eks:TagResource",
    "iam:CreateServiceLinkedRole",
    "iam:PassRole",
    "iam:TagRole",
  ]);
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
