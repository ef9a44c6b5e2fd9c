import type {
  Address,
  Filter,
  InternetGateway,
  NatGateway,
  ResourceType,
  RouteTable,
  Subnet,
  Vpc,
} from "@aws-sdk/client-ec2";

import type { ResourceRecord } from "../resource-record.ts";
import type { AwsSession } from "./aws-session.ts";
import { onceInALook, type EksRound } from "./eks-round.ts";
import { intentTag } from "./names.ts";

/** A type of thing of EC2, and how it is found. */
export interface Ec2Kind<Thing> {
  readonly type: ResourceType;
  /** By its id where that is known, else by its mark; in a look all of the type are asked for at once. */
  find(round: EksRound, record: ResourceRecord): Promise<readonly Thing[]>;
  /** Those that are there, of whomever. */
  byIds(round: EksRound, ids: readonly string[]): Promise<readonly Thing[]>;
}

interface KindFacts<Thing> {
  readonly type: ResourceType;
  /** The filter by ids: AWS answers with nothing where it has none of them. */
  readonly idFilter: string;
  readonly idOf: (thing: Thing) => string | undefined;
  readonly list: (aws: AwsSession, Filters: Filter[]) => Promise<readonly Thing[] | undefined>;
}

function kindOf<Thing>({ type, idFilter, idOf, list }: KindFacts<Thing>): Ec2Kind<Thing> {
  const listed = async ({ aws }: EksRound, Name: string, Values: string[]): Promise<readonly Thing[]> =>
    (await list(aws, [{ Name, Values }])) ?? [];
  const all = onceInALook((round) => listed(round, idFilter, idsOf(round, type)));
  return {
    type,
    byIds: (round, ids) => listed(round, idFilter, [...ids]),
    find: async (round, { id, token }) => {
      if (id === undefined) return listed(round, `tag:${intentTag}`, [token]);
      if (round.look === undefined) return listed(round, idFilter, [id]);
      return (await all(round)).filter((thing) => idOf(thing) === id);
    },
  };
}

function idsOf({ records }: EksRound, type: string): string[] {
  return [...records.values()].flatMap((record) => (record.type === `ec2:${type}` ? (record.id ?? []) : []));
}

export const vpcKind = kindOf<Vpc>({
  type: "vpc",
  idFilter: "vpc-id",
  idOf: ({ VpcId }) => VpcId,
  list: async (aws, Filters) => (await aws.send("ec2:DescribeVpcs", { Filters })).Vpcs,
});

export const internetGatewayKind = kindOf<InternetGateway>({
  type: "internet-gateway",
  idFilter: "internet-gateway-id",
  idOf: ({ InternetGatewayId }) => InternetGatewayId,
  list: async (aws, Filters) =>
    (await aws.send("ec2:DescribeInternetGateways", { Filters })).InternetGateways,
});

export const subnetKind = kindOf<Subnet>({
  type: "subnet",
  idFilter: "subnet-id",
  idOf: ({ SubnetId }) => SubnetId,
  list: async (aws, Filters) => (await aws.send("ec2:DescribeSubnets", { Filters })).Subnets,
});

export const addressKind = kindOf<Address>({
  type: "elastic-ip",
  idFilter: "allocation-id",
  idOf: ({ AllocationId }) => AllocationId,
  list: async (aws, Filters) => (await aws.send("ec2:DescribeAddresses", { Filters })).Addresses,
});

export const natGatewayKind = kindOf<NatGateway>({
  type: "natgateway",
  idFilter: "nat-gateway-id",
  idOf: ({ NatGatewayId }) => NatGatewayId,
  list: async (aws, Filter) => (await aws.send("ec2:DescribeNatGateways", { Filter })).NatGateways,
});

export const routeTableKind = kindOf<RouteTable>({
  type: "route-table",
  idFilter: "route-table-id",
  idOf: ({ RouteTableId }) => RouteTableId,
  list: async (aws, Filters) => (await aws.send("ec2:DescribeRouteTables", { Filters })).RouteTables,
});
