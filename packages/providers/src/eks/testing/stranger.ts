import { addForgottenInterface, type FakeAws } from "@bowline/test-aws";

import type { OperationInput, OperationName, OperationOutput } from "../aws/aws-api.ts";
import { SdkApi } from "../aws/sdk-api.ts";
import type { EksWorld } from "./eks-stage.ts";

const strangerKey = { accessKeyId: "AKIASTRANGER00000001", secretAccessKey: "stranger-secret-0a77c25e1f" };
const owner = { owner: "somebody else" };
const ec2Tags = [{ Key: "owner", Value: "somebody else" }];

/** Somebody else in the same account: what AWS refuses is refused to him, too. */
export class Stranger implements AsyncDisposable {
  readonly #world: EksWorld;
  readonly #api = new SdkApi();
  #removeLeftovers = (): void => {};

  constructor(world: EksWorld) {
    this.#world = world;
    world.aws.addUser("stranger", undefined, strangerKey);
  }

  send<Name extends OperationName>(name: Name, input: OperationInput<Name>): Promise<OperationOutput<Name>> {
    const target = { region: "eu-west-1", endpoint: this.#world.aws.url, key: strangerKey };
    return this.#api.send(target, name, input);
  }

  async role(RoleName: string): Promise<string> {
    const { Role } = await this.send("iam:CreateRole", {
      RoleName,
      AssumeRolePolicyDocument: "{}",
      Tags: [...ec2Tags],
    });
    const PolicyArn = "arn:aws:iam::aws:policy/ReadOnlyAccess";
    await this.send("iam:AttachRolePolicy", { RoleName, PolicyArn });
    return Role?.Arn ?? "";
  }

  async removeRole(RoleName: string): Promise<void> {
    const { AttachedPolicies = [] } = await this.send("iam:ListAttachedRolePolicies", { RoleName });
    for (const { PolicyArn } of AttachedPolicies) {
      await this.send("iam:DetachRolePolicy", { RoleName, PolicyArn });
    }
    await this.send("iam:DeleteRole", { RoleName });
  }

  /** The subnets of a network of his own. */
  async network(name = "theirs"): Promise<string[]> {
    const tags = (type: "vpc" | "subnet") => ({
      TagSpecifications: [{ ResourceType: type, Tags: [...ec2Tags, { Key: "Name", Value: name }] }],
    });
    const { Vpc } = await this.send("ec2:CreateVpc", { CidrBlock: "10.0.0.0/16", ...tags("vpc") });
    const subnets = ["a", "b"].map((zone, at) =>
      this.send("ec2:CreateSubnet", {
        VpcId: Vpc?.VpcId,
        AvailabilityZone: `eu-west-1${zone}`,
        CidrBlock: `10.0.${at}.0/24`,
        ...tags("subnet"),
      }),
    );
    return (await Promise.all(subnets)).flatMap(({ Subnet }) => Subnet?.SubnetId ?? []);
  }

  /** A control plane that is there at once, with nodes, a way in for Bowline, and what Kubernetes makes beside it. */
  async controlPlane(name: string, subnetIds: readonly string[]): Promise<void> {
    const roleArn = await this.role(`of-${name}`);
    const resourcesVpcConfig = { subnetIds: [...subnetIds] };
    await this.send("eks:CreateCluster", { name, roleArn, resourcesVpcConfig, tags: owner });
    await this.#world.pass(this.#world.aws.world.settings.times.clusterMs);
    await this.nodeGroup(name, "workers", subnetIds);
    const principalArn = "arn:aws:iam::111122223333:user/bowline";
    await this.send("eks:CreateAccessEntry", { clusterName: name, principalArn, tags: owner });
    const policyArn = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy";
    const entry = { clusterName: name, principalArn, policyArn };
    await this.send("eks:AssociateAccessPolicy", { ...entry, accessScope: { type: "cluster" } });
    const { world } = this.#world.aws;
    const { vpcId } = world.clusters.get(name);
    const owned = { [`kubernetes.io/cluster/${name}`]: "owned" };
    const [group, volume] = [world.newId("sg"), world.newId("vol")];
    const groupThing = world.thing(group, world.arn("ec2", `security-group/${group}`), owned);
    world.securityGroups.add({ ...groupThing, vpcId, name: "k8s-elb-theirs" });
    const volumeThing = world.thing(volume, world.arn("ec2", `volume/${volume}`), owned);
    world.volumes.add({ ...volumeThing, state: "available" });
    const forgotten = addForgottenInterface(world, name);
    this.#removeLeftovers = () => {
      world.interfaces.remove(forgotten);
      world.securityGroups.remove(group);
      world.volumes.remove(volume);
    };
  }

  async nodeGroup(clusterName: string, nodegroupName: string, subnets: readonly string[]): Promise<void> {
    const nodeRole = await this.role(`nodes-of-${nodegroupName}`);
    const group = { clusterName, nodegroupName, nodeRole, subnets: [...subnets] };
    await this.send("eks:CreateNodegroup", { ...group, tags: owner });
    await this.#world.pass(this.#world.aws.world.settings.times.nodegroupMs);
  }

  async removeNodeGroup(clusterName: string, nodegroupName: string): Promise<void> {
    await this.send("eks:DeleteNodegroup", { clusterName, nodegroupName });
    await this.#world.pass(this.#world.aws.world.settings.times.nodegroupGoneMs);
  }

  /** With all of its groups, as AWS wants it, and what Kubernetes has made. */
  async removeControlPlane(name: string): Promise<void> {
    const { nodegroups = [] } = await this.send("eks:ListNodegroups", { clusterName: name });
    for (const group of nodegroups) await this.removeNodeGroup(name, group);
    await this.send("eks:DeleteCluster", { name });
    await this.#world.pass(this.#world.aws.world.settings.times.clusterGoneMs);
    this.#removeLeftovers();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#api[Symbol.asyncDispose]();
  }
}

/** All that there is in the account as it is now, by its ARN. */
function thingsOf({ world }: FakeAws): Map<string, unknown> {
  const { clusters, nodegroups, accessEntries, roles, taggedThings } = world;
  const others = [...clusters.all, ...nodegroups.all, ...accessEntries.all, ...roles.all];
  const all = [...taggedThings.flatMap(({ things }) => things), ...others];
  // Ids tell apart what has the same ARN, such as groups of a name after each other.
  return new Map(all.map((thing) => [`${thing.arn} ${thing.id} ${thing.madeAtMs}`, structuredClone(thing)]));
}

/** What was made by that, to be looked at again. */
export async function madeBy(aws: FakeAws, make: () => Promise<unknown>): Promise<() => unknown[]> {
  const before = thingsOf(aws);
  await make();
  const keys = [...thingsOf(aws).keys()].filter((key) => !before.has(key));
  return () => {
    const now = thingsOf(aws);
    return keys.map((key) => now.get(key));
  };
}

/** The calls that were not for looking, from then on. */
export function changesOf({ calls }: FakeAws): () => string[] {
  const from = calls.length;
  return () => calls.slice(from).filter((call) => !/:(?:Describe|Get|List|AssumeRole)/u.test(call));
}
