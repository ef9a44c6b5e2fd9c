import { boundaryName } from "../names.ts";
import { CreatePolicyCommand, IAMClient } from "@aws-sdk/client-iam";

import type { Inventory } from "../../testing/provider-stage.ts";
import {
  isAwsError,
  type AwsApi,
  type AwsTarget,
  type OperationInput,
  type OperationName,
  type OperationOutput,
} from "../aws/aws-api.ts";

/** An account of moto, looked at from outside: nothing here knows what the provider remembers. */
export class MotoAccount {
  readonly #api: AwsApi;
  readonly #target: AwsTarget;
  /** Roles of others. */
  readonly #foreign: string[] = [];
  /** What every account of moto has from the start: a VPC with its subnets, as accounts of AWS have. */
  #givenAtFirst: Readonly<Record<string, number>> = {};

  private constructor(api: AwsApi, target: AwsTarget) {
    this.#api = api;
    this.#target = target;
  }

  /** With the boundary that the guide asks for. */
  static async open(api: AwsApi, target: AwsTarget): Promise<MotoAccount> {
    const account = new MotoAccount(api, target);
    await account.#makeBoundary();
    account.#givenAtFirst = await account.#count();
    return account;
  }

  /** What is there more than at first; types of which there is no more are missing. */
  async inventory(): Promise<Inventory> {
    const counted = Object.entries(await this.#count()).map(
      ([type, count]) => [type, count - (this.#givenAtFirst[type] ?? 0)] as const,
    );
    return Object.fromEntries(counted.filter(([, more]) => more !== 0));
  }

  async putForeignRole(RoleName: string): Promise<void> {
    const Statement = [
      { Effect: "Allow", Principal: { Service: "ec2.amazonaws.com" }, Action: "sts:AssumeRole" },
    ];
    await this.#send("iam:CreateRole", {
      RoleName,
      AssumeRolePolicyDocument: JSON.stringify({ Version: "2012-10-17", Statement }),
      Tags: [{ Key: "owner", Value: "somebody else" }],
    });
    const PolicyArn = "arn:aws:iam::aws:policy/ReadOnlyAccess";
    await this.#send("iam:AttachRolePolicy", { RoleName, PolicyArn });
    this.#foreign.push(RoleName);
  }

  async foreignRoles(): Promise<unknown> {
    const roles = this.#foreign.map(async (RoleName) => {
      const { Role } = await this.#send("iam:GetRole", { RoleName });
      const { AttachedPolicies } = await this.#send("iam:ListAttachedRolePolicies", { RoleName });
      return { Role, AttachedPolicies };
    });
    return Promise.all(roles);
  }

  /** As a person does it: nodes first, as AWS wants it. */
  async takeClustersAway(): Promise<void> {
    for (const { name, nodegroups } of await this.#clusters()) {
      for (const nodegroupName of nodegroups) {
        await this.#send("eks:DeleteNodegroup", { clusterName: name, nodegroupName });
      }
      await this.#send("eks:DeleteCluster", { name });
    }
  }

  async #makeBoundary(): Promise<void> {
    const { region, endpoint = "", key } = this.#target;
    const iam = new IAMClient({ region, endpoint, ...(key === undefined ? {} : { credentials: key }) });
    const Statement = [{ Effect: "Allow", Action: "*", Resource: "*" }];
    const PolicyDocument = JSON.stringify({ Version: "2012-10-17", Statement });
    await iam.send(new CreatePolicyCommand({ PolicyName: boundaryName, PolicyDocument }));
    iam.destroy();
  }

  async #count(): Promise<Record<string, number>> {
    const [vpcs, subnets, gateways, addresses, nats, tables, roles, clusters] = await Promise.all([
      this.#send("ec2:DescribeVpcs", {}),
      this.#send("ec2:DescribeSubnets", {}),
      this.#send("ec2:DescribeInternetGateways", {}),
      this.#send("ec2:DescribeAddresses", {}),
      this.#send("ec2:DescribeNatGateways", {}),
      this.#send("ec2:DescribeRouteTables", {}),
      this.#send("iam:ListRoles", {}),
      this.#clusters(),
    ]);
    // The main one of a VPC comes and goes with it.
    const ownTables = (tables.RouteTables ?? []).filter(({ Associations = [] }) =>
      Associations.every(({ Main }) => Main !== true),
    );
    const ownRoles = (roles.Roles ?? []).filter(({ RoleName = "" }) => !this.#foreign.includes(RoleName));
    return {
      vpcs: (vpcs.Vpcs ?? []).length,
      subnets: (subnets.Subnets ?? []).length,
      internetGateways: (gateways.InternetGateways ?? []).length,
      addresses: (addresses.Addresses ?? []).length,
      natGateways: (nats.NatGateways ?? []).filter(({ State }) => State !== "deleted").length,
      routeTables: ownTables.length,
      roles: ownRoles.length,
      clusters: clusters.length,
      accessEntries: clusters.filter(({ hasEntry }) => hasEntry).length,
      nodegroups: clusters.flatMap(({ nodegroups }) => nodegroups).length,
    };
  }

  async #clusters(): Promise<readonly ClusterView[]> {
    const { clusters = [] } = await this.#send("eks:ListClusters", {});
    return Promise.all(
      clusters.map(async (name) => {
        const { nodegroups = [] } = await this.#send("eks:ListNodegroups", { clusterName: name });
        const { Arn: principalArn } = await this.#send("sts:GetCallerIdentity", {});
        const hasEntry = await this.#send("eks:DescribeAccessEntry", {
          clusterName: name,
          principalArn,
        }).then(
          () => true,
          (error: unknown) => {
            if (isAwsError(error, "ResourceNotFoundException")) return false;
            throw error;
          },
        );
        return { name, nodegroups, hasEntry };
      }),
    );
  }

  #send<Name extends OperationName>(name: Name, input: OperationInput<Name>): Promise<OperationOutput<Name>> {
    return this.#api.send(this.#target, name, input);
  }
}

interface ClusterView {
  readonly name: string;
  readonly nodegroups: readonly string[];
  /** Of whoever asks: that is the only one there may be. */
  readonly hasEntry: boolean;
}
