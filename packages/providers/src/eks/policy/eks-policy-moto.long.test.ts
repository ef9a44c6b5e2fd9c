import { CreateVpcCommand, DeleteVpcCommand, EC2Client, RunInstancesCommand } from "@aws-sdk/client-ec2";
import {
  AttachUserPolicyCommand,
  CreateAccessKeyCommand,
  CreatePolicyCommand,
  CreateRoleCommand,
  CreateUserCommand,
  DeleteRoleCommand,
  IAMClient,
  PutRolePolicyCommand,
  PutUserPolicyCommand,
  UpdateAssumeRolePolicyCommand,
} from "@aws-sdk/client-iam";
import { motoTest, startMoto, type MotoServer } from "@bowline/test-services";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { expectNothing, staged, type StagedCluster } from "../../testing/staged-cluster.ts";
import type { ProviderGoal } from "../../provider.ts";
import type { AwsKey } from "../aws/aws-api.ts";
import { nameTag } from "../names.ts";
import { testClusterId, testName } from "../testing/eks-stage.ts";
import { motoStage, openMotoWorld } from "../testing/moto-stage.ts";
import { eksBoundary, eksPolicy } from "./eks-policy.ts";

type Policy = ReturnType<typeof eksPolicy>;

interface TestUser {
  readonly key: AwsKey;
  allow(document: object): Promise<void>;
}

/** Access entries are not moto's own, and it asks for no right to tag what is made. */
const ofCreation = [
  "ec2:CreateVpc",
  "ec2:CreateInternetGateway",
  "ec2:AllocateAddress",
  "ec2:ModifyVpcAttribute",
  "ec2:AttachInternetGateway",
  "ec2:CreateSubnet",
  "ec2:CreateNatGateway",
  "ec2:CreateRouteTable",
  "ec2:CreateRoute",
  "ec2:AssociateRouteTable",
  "iam:CreateRole",
  "iam:AttachRolePolicy",
  "eks:CreateCluster",
  "eks:CreateNodegroup",
];
/** In the order in which they are needed. */
const ofDeletion = [
  "eks:DeleteNodegroup",
  "eks:DeleteCluster",
  "ec2:DeleteNatGateway",
  "ec2:ReleaseAddress",
  "ec2:DisassociateRouteTable",
  "ec2:DeleteRouteTable",
  "ec2:DeleteSubnet",
  "ec2:DetachInternetGateway",
  "ec2:DeleteInternetGateway",
  "iam:DetachRolePolicy",
  "iam:DeleteRole",
  "ec2:DeleteVpc",
];

const { skip, timeoutMs } = await motoTest(process.env);

/**
 * What moto 5.2.5 makes of policies: it compares actions, and of resources only roles that are there (all calls of EC2 and
 * EKS are about `*` to it); of conditions it knows the external id of a role to become, and skips all others. So it shows
 * which actions are needed, and denied; what tags allow is shown by the fake.
 */
describe.skipIf(skip)("the policy, enforced by moto, which compares actions and roles", () => {
  let moto: MotoServer;
  let admin: AwsKey;
  let users = 0;
  const printed = eksPolicy({ name: "web", id: testClusterId });
  const trust = JSON.stringify({
    Version: "2012-10-17",
    Statement: [{ Effect: "Allow", Principal: { Service: "eks.amazonaws.com" }, Action: "sts:AssumeRole" }],
  });

  beforeAll(async () => {
    moto = await startMoto();
    ({ key: admin } = await addUser({ Version: "2012-10-17", Statement: [everything] }, anybody));
    await moto.enforce(true);
  }, timeoutMs);

  afterAll(() => moto?.[Symbol.asyncDispose]());

  const everything = { Effect: "Allow", Action: "*", Resource: "*" };
  /** Before anything is enforced. */
  const anybody: AwsKey = { accessKeyId: "AKIAANYBODY000000000", secretAccessKey: "any" };

  const target = (credentials: AwsKey) => ({
    region: "eu-west-1",
    endpoint: moto.url,
    credentials,
    maxAttempts: 1,
  });
  const iamOf = (key: AwsKey) => new IAMClient(target(key));
  const ec2Of = (key: AwsKey) => new EC2Client(target(key));

  /** A new user who may do what the document says, until he may do something else. */
  async function addUser(document: object, by: AwsKey = admin): Promise<TestUser> {
    users += 1;
    const UserName = `user-${users}`;
    const allow = async (may: object, admin: AwsKey): Promise<void> => {
      const PolicyDocument = JSON.stringify(may);
      await iamOf(admin).send(new PutUserPolicyCommand({ UserName, PolicyName: "bowline", PolicyDocument }));
    };
    await iamOf(by).send(new CreateUserCommand({ UserName }));
    await allow(document, by);
    const { AccessKey } = await iamOf(by).send(new CreateAccessKeyCommand({ UserName }));
    const { AccessKeyId: accessKeyId = "", SecretAccessKey: secretAccessKey = "" } = AccessKey ?? {};
    return { key: { accessKeyId, secretAccessKey }, allow: (may) => allow(may, admin) };
  }

  /** As moto can enforce it: with the actions of the policy, but one that is left out. */
  function onAnything({ Statement, ...policy }: Policy, without?: string): object {
    const statements = Statement.map(({ Action, ...statement }) => ({
      ...statement,
      Action: Action.filter((action) => action !== without),
      Resource: "*",
    }));
    return { ...policy, Statement: statements.filter(({ Action }) => Action.length > 0) };
  }

  async function makeVpc(name: string): Promise<string | undefined> {
    const tags = { ResourceType: "vpc" as const, Tags: [{ Key: nameTag, Value: name }] };
    const ec2 = ec2Of(admin);
    const { Vpc } = await ec2.send(
      new CreateVpcCommand({ CidrBlock: "10.9.0.0/16", TagSpecifications: [tags] }),
    );
    return Vpc?.VpcId;
  }

  test("is a document that the validator of IAM takes, for a cluster and for the boundary", async () => {
    const iam = iamOf(admin);
    for (const [PolicyName, document] of [
      ["by-name", eksPolicy({ name: "web" })],
      ["by-id", printed],
      ["with-volumes", eksPolicy({ name: "web", id: testClusterId, deletesVolumes: true })],
      ["boundary", eksBoundary()],
    ] as const) {
      const PolicyDocument = JSON.stringify(document);
      await iam.send(new CreatePolicyCommand({ PolicyName, PolicyDocument }));
      const misspelt = PolicyDocument.replace("StringEquals", "StringIs");
      await expect(
        iam.send(new CreatePolicyCommand({ PolicyName: "misspelt", PolicyDocument: misspelt })),
      ).rejects.toMatchObject({ name: expect.stringContaining("MalformedPolicyDocument") });
    }
  });

  test(
    "has every action that a whole life needs: each that is taken away is named, and it goes on with it",
    { timeout: timeoutMs },
    async () => {
      const world = await openMotoWorld(moto.url, admin);
      const user = await addUser(onAnything(printed));
      const stage = {
        ...motoStage(() => moto),
        credentials: { aws: { ...user.key } },
        openWorld: () => Promise.resolve(world),
      };
      const isMissed = async (cluster: StagedCluster, goal: ProviderGoal, action: string): Promise<void> => {
        await user.allow(onAnything(printed, action));
        // What moto refuses of EKS it says in XML, which is no answer of EKS.
        const said = action.startsWith("eks:")
          ? `${action}: SyntaxError`
          : `not authorized to perform: ${action}`;
        const answer = await cluster.run(goal, { until: "blocked" });
        expect(answer, `without ${action}`).toMatchObject({ message: expect.stringContaining(said) });
        await user.allow(onAnything(printed));
      };
      for (const action of ofCreation) {
        await staged(stage, async (cluster) => {
          await isMissed(cluster, "present", action);
          await cluster.delete();
          await expectNothing(cluster);
        });
      }
      await staged(stage, async (cluster) => {
        await cluster.create();
        expect(await world.inventory()).toMatchObject({ vpcs: 1, roles: 2, clusters: 1, nodegroups: 1 });
        for (const action of ofDeletion) await isMissed(cluster, "absent", action);
        await cluster.delete();
        await expectNothing(cluster);
      });
    },
  );

  test("denies what it does not name: machines, people, and more rights", async () => {
    const theirs = { RoleName: "theirs", AssumeRolePolicyDocument: trust };
    await iamOf(admin).send(new CreateRoleCommand(theirs));
    const { key } = await addUser(onAnything(printed));
    const iam = iamOf(key);
    const ec2 = ec2Of(key);
    const PolicyArn = "arn:aws:iam::aws:policy/AdministratorAccess";
    const rolePolicy = { ...theirs, PolicyName: "all", PolicyDocument: JSON.stringify(everything) };
    for (const call of [
      () => ec2.send(new RunInstancesCommand({ ImageId: "ami-1", MinCount: 1, MaxCount: 1 })),
      () => iam.send(new CreateUserCommand({ UserName: "another" })),
      () => iam.send(new CreateAccessKeyCommand({ UserName: "user-1" })),
      () => iam.send(new AttachUserPolicyCommand({ UserName: "user-1", PolicyArn })),
      () => iam.send(new PutRolePolicyCommand(rolePolicy)),
      () => iam.send(new UpdateAssumeRolePolicyCommand({ RoleName: "theirs", PolicyDocument: trust })),
    ]) {
      await expect(call()).rejects.toMatchObject({ name: "AccessDenied" });
    }
  });

  test("as it is printed lets roles of the cluster be deleted, by their names, and no others", async () => {
    const made = iamOf(admin);
    const { key } = await addUser(printed);
    const iam = iamOf(key);
    const [own, others] = [`${testName}-cluster`, "bowline-web-another-cluster"];
    for (const RoleName of [own, others]) {
      await made.send(new CreateRoleCommand({ RoleName, AssumeRolePolicyDocument: trust }));
    }
    await iam.send(new DeleteRoleCommand({ RoleName: own }));
    await expect(iam.send(new DeleteRoleCommand({ RoleName: others }))).rejects.toMatchObject({
      name: "AccessDenied",
    });
  });

  test("as it is printed denies a VPC of others and, as moto knows no VPCs in policies, an own one as well", async () => {
    const ec2 = ec2Of((await addUser(printed)).key);
    for (const name of ["db", "web"]) {
      const VpcId = await makeVpc(name);
      await expect(ec2.send(new DeleteVpcCommand({ VpcId }))).rejects.toMatchObject({ name: "AccessDenied" });
    }
  });

  test("with any resource allows a VPC of others too, as moto skips its conditions: of tags moto shows nothing", async () => {
    const ec2 = ec2Of((await addUser(onAnything(printed))).key);
    const VpcId = await makeVpc("db");
    await expect(ec2.send(new DeleteVpcCommand({ VpcId }))).resolves.toBeDefined();
  });
});
