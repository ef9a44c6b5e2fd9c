import {
  CreateVpcCommand,
  DescribeNatGatewaysCommand,
  DescribeVpcsCommand,
  EC2Client,
} from "@aws-sdk/client-ec2";
import {
  DescribeClusterCommand,
  DescribeUpdateCommand,
  EKSClient,
  UpdateClusterVersionCommand,
} from "@aws-sdk/client-eks";
import { CreateRoleCommand, GetRoleCommand, IAMClient } from "@aws-sdk/client-iam";
import { AssumeRoleCommand, GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";
import { ManualClock } from "@bowline/core/testing";
import { afterEach, beforeEach, expect, test } from "vitest";

import type { AccessKey } from "./auth/principals.ts";
import { FakeAws } from "./fake-aws.ts";

let clock: ManualClock;
let aws: FakeAws;

beforeEach(async () => {
  clock = new ManualClock();
  aws = await FakeAws.start({ clock });
});
afterEach(() => aws[Symbol.asyncDispose]());

function options(credentials: AccessKey = aws.addUser("root")): {
  readonly region: string;
  readonly endpoint: string;
  readonly credentials: AccessKey;
  readonly maxAttempts: number;
} {
  return { region: "eu-west-1", endpoint: aws.url, credentials, maxAttempts: 1 };
}

const vpcWithTag = (key: string, value: string): CreateVpcCommand =>
  new CreateVpcCommand({
    CidrBlock: "10.0.0.0/16",
    TagSpecifications: [{ ResourceType: "vpc", Tags: [{ Key: key, Value: value }] }],
  });

test("a VPC is made with its tags, and found by them when lists know it", async () => {
  const ec2 = new EC2Client(options());
  aws.world.lagMs = 5_000;
  const { Vpc } = await ec2.send(vpcWithTag("team", "a & <b>"));
  const find = new DescribeVpcsCommand({ Filters: [{ Name: "tag:team", Values: ["a & <b>"] }] });
  expect((await ec2.send(find)).Vpcs).toEqual([]);
  await clock.advance(5_000);
  expect((await ec2.send(find)).Vpcs).toMatchObject([{ VpcId: Vpc?.VpcId, CidrBlock: "10.0.0.0/16" }]);
  const other = new DescribeVpcsCommand({ Filters: [{ Name: "tag:team", Values: ["c"] }] });
  expect((await ec2.send(other)).Vpcs).toEqual([]);
  expect((await ec2.send(new DescribeNatGatewaysCommand({}))).NatGateways).toEqual([]);
});

test("whoever has a wrong secret, an ended session or another time is refused", async () => {
  const key = aws.addUser("a");
  const who = new GetCallerIdentityCommand({});
  const wrong = new STSClient(options({ ...key, secretAccessKey: "wrong" }));
  await expect(wrong.send(who)).rejects.toThrow("does not match");
  const RoleArn = aws.addAssumableRole("maker", { externalId: "x1" });
  const sts = new STSClient(options(key));
  await expect(sts.send(new AssumeRoleCommand({ RoleArn, RoleSessionName: "s" }))).rejects.toThrow(
    "not authorized",
  );
  const assume = new AssumeRoleCommand({ RoleArn, RoleSessionName: "s", ExternalId: "x1" });
  const { Credentials } = await sts.send(assume);
  const { AccessKeyId = "", SecretAccessKey = "", SessionToken = "" } = Credentials ?? {};
  const session = { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken };
  const asRole = new STSClient(options(session));
  expect((await asRole.send(who)).Arn).toBe("arn:aws:sts::111122223333:assumed-role/maker/s");
  await clock.advance(3_600_000);
  await expect(asRole.send(who)).rejects.toThrow("expired");
  aws.skewMs = 3_600_000;
  await expect(sts.send(who)).rejects.toThrow("not yet valid");
  // The SDK takes the time out of the answer.
  expect((await sts.send(who)).Account).toBe("111122223333");
});

test("policies are kept to, with their conditions on tags", async () => {
  const Condition = { StringEquals: { "aws:RequestTag/team": "a" } };
  const Statement = [
    { Effect: "Allow" as const, Action: ["ec2:CreateVpc", "ec2:CreateTags"], Resource: "*", Condition },
  ];
  const ec2 = new EC2Client(options(aws.addUser("a", [{ Version: "2012-10-17", Statement }])));
  await ec2.send(vpcWithTag("team", "a"));
  await expect(ec2.send(vpcWithTag("team", "b"))).rejects.toThrow("not authorized to perform: ec2:CreateVpc");
  const iam = new IAMClient(options(aws.addUser("b", [])));
  const role = { RoleName: "r", AssumeRolePolicyDocument: "{}" };
  await expect(iam.send(new CreateRoleCommand(role))).rejects.toMatchObject({ name: "AccessDenied" });
});

test("an update that fails says why, and its token has no other one", async () => {
  const eks = new EKSClient(options());
  const arn = aws.world.arn("eks", "cluster/web");
  aws.world.clusters.add({
    ...aws.world.thing("web", arn),
    version: "1.32",
    roleArn: "",
    vpcId: "",
    subnetIds: [],
    settings: {},
    clientToken: undefined,
    readyAtMs: clock.now(),
    failure: undefined,
  });
  aws.world.settings.updateFailure = { code: "PodEvictionFailure", message: "Too many tries." };
  const update = async (clientRequestToken: string): Promise<string | undefined> => {
    const command = new UpdateClusterVersionCommand({ name: "web", version: "1.33", clientRequestToken });
    return (await eks.send(command)).update?.id;
  };
  const told = async (updateId: string | undefined): Promise<unknown> =>
    (await eks.send(new DescribeUpdateCommand({ name: "web", updateId }))).update;
  const first = await update("a");
  expect(await told(first)).toMatchObject({ status: "InProgress", errors: [] });
  await clock.advance(10 * 60_000);
  expect(await told(first)).toMatchObject({
    status: "Failed",
    errors: [{ errorCode: "PodEvictionFailure", errorMessage: "Too many tries." }],
  });
  expect(await update("a")).toBe(first);
  const second = await update("b");
  expect(second).not.toBe(first);
  await clock.advance(10 * 60_000);
  expect(await told(second)).toMatchObject({ status: "Successful" });
  const { cluster } = await eks.send(new DescribeClusterCommand({ name: "web" }));
  expect(cluster?.version).toBe("1.33");
});

test("faults: an answer that is lost was a deed, one that is refused was none", async () => {
  const [ec2, iam, eks] = [new EC2Client(options()), new IAMClient(options()), new EKSClient(options())];
  aws.faults.plan({ action: "ec2:CreateVpc", fault: { kind: "lose-answer" } });
  await expect(ec2.send(vpcWithTag("team", "a"))).rejects.toThrow("socket hang up");
  expect(aws.world.vpcs.all).toHaveLength(1);
  aws.faults.plan({ fault: { kind: "throttle" }, times: 2 });
  await expect(ec2.send(vpcWithTag("team", "a"))).rejects.toMatchObject({ name: "RequestLimitExceeded" });
  await expect(eks.send(new DescribeClusterCommand({ name: "a" }))).rejects.toMatchObject({
    name: "ThrottlingException",
  });
  await expect(eks.send(new DescribeClusterCommand({ name: "a" }))).rejects.toMatchObject({
    name: "ResourceNotFoundException",
  });
  await expect(iam.send(new GetRoleCommand({ RoleName: "r" }))).rejects.toMatchObject({
    name: "NoSuchEntityException",
  });
  aws.world.settings.quotas.vpcs = 1;
  await expect(ec2.send(vpcWithTag("team", "a"))).rejects.toMatchObject({ name: "VpcLimitExceeded" });
  expect(aws.world.vpcs.all).toHaveLength(1);
});
