import type { RouteTable } from "@aws-sdk/client-ec2";

import { routeTableKind } from "./ec2-kinds.ts";
import { ec2Step, newTags } from "./ec2-step.ts";
import { idOf, lacking, type EksRound, type EksStep } from "./eks-round.ts";
import { gatewayCount } from "./own-network.ts";
import { zoneCount } from "./zones.ts";

const everywhere = "0.0.0.0/0";

/** The way out of subnets: `public` by the internet gateway, `private-1` and so on by a NAT gateway. */
export function routeTableStep(round: EksRound, kind: "public" | `private-${number}`): EksStep {
  const { aws } = round;
  const subnets = subnetsOf(round, kind);
  const gateway = kind === "public" ? "internet-gateway" : kind.replace("private", "nat-gateway");
  return ec2Step(round, routeTableKind, {
    step: `routes-${kind}`,
    text: `Create the routes of the ${kind === "public" ? "public" : "private"} subnets`,
    expectedSeconds: 5,
    needs: ["vpc", gateway, ...subnets],
    isWatched: true,
    found: async ([found]) => {
      if (found?.RouteTableId === undefined) return undefined;
      return { id: found.RouteTableId, ...lacking(lacksOf(round, found, { gateway, subnets })) };
    },
    create: async (record) => {
      const { RouteTable } = await aws.send("ec2:CreateRouteTable", {
        VpcId: idOf(round, "vpc"),
        ClientToken: record.token,
        ...newTags(round, record, "route-table"),
      });
      return { id: RouteTable?.RouteTableId ?? "", ...lacking(["route", ...subnets]) };
    },
    complete: async ({ id }, lack) => {
      if (lack === "route" || lack === "other route") {
        const target = idOf(round, gateway);
        const input = {
          RouteTableId: id,
          DestinationCidrBlock: everywhere,
          ...(kind === "public" ? { GatewayId: target } : { NatGatewayId: target }),
        };
        await aws.send(lack === "route" ? "ec2:CreateRoute" : "ec2:ReplaceRoute", input);
      } else {
        await aws.send("ec2:AssociateRouteTable", { RouteTableId: id, SubnetId: idOf(round, lack) });
      }
    },
    remove: async ({ id = "" }) => {
      const { RouteTables = [] } = await aws.send("ec2:DescribeRouteTables", {
        Filters: [{ Name: "route-table-id", Values: [id] }],
      });
      for (const { RouteTableAssociationId } of RouteTables[0]?.Associations ?? []) {
        await aws.send("ec2:DisassociateRouteTable", { AssociationId: RouteTableAssociationId });
      }
      await aws.send("ec2:DeleteRouteTable", { RouteTableId: id });
    },
  });
}

/** One NAT gateway serves all private subnets, or each its own. */
function subnetsOf(round: EksRound, kind: string): string[] {
  const numbers = Array.from({ length: zoneCount }, (_, at) => at + 1);
  if (kind === "public") return numbers.map((number) => `subnet-public-${number}`);
  if (gatewayCount(round) > 1) return [`subnet-${kind}`];
  return numbers.map((number) => `subnet-private-${number}`);
}

function lacksOf(
  round: EksRound,
  { Routes = [], Associations = [] }: RouteTable,
  { gateway, subnets }: { readonly gateway: string; readonly subnets: readonly string[] },
): string[] {
  const route = Routes.find(({ DestinationCidrBlock }) => DestinationCidrBlock === everywhere);
  const target = route?.NatGatewayId ?? route?.GatewayId;
  const wanted = round.records.get(gateway)?.id;
  const associated = new Set(Associations.map(({ SubnetId }) => SubnetId));
  return [
    ...(route === undefined ? ["route"] : target === wanted ? [] : ["other route"]),
    ...subnets.filter((subnet) => !associated.has(round.records.get(subnet)?.id)),
  ];
}
