import type { ResourceRecord } from "../resource-record.ts";
import type { EksRound } from "./eks-round.ts";
import { zoneCount } from "./zones.ts";

/*
 * A network is made once. What the object says of it afterwards does nothing: a second one would cost money and be used by
 * nobody, and subnets that are in use cannot be given to other gateways.
 */

/** Whether the network was, or is to be, made for the cluster; else it was given. */
export function hasOwnNetwork(round: EksRound): boolean {
  const vpc = livingRecord(round, "vpc");
  if (vpc?.id !== undefined) return true;
  if (livingRecord(round, "cluster") !== undefined) return vpc !== undefined;
  return round.settings.network?.vpcId === undefined;
}

/** How many NAT gateways it has, as was wanted when its VPC was made. */
export function gatewayCount(round: EksRound): number {
  const known = livingRecord(round, "vpc")?.attributes["gateways"];
  if (typeof known === "number") return known;
  const isForEachZone =
    livingRecord(round, "cluster") === undefined
      ? round.settings.network?.highAvailability === true
      : round.records.has(`nat-gateway-${zoneCount}`);
  return isForEachZone ? zoneCount : 1;
}

function livingRecord({ records }: EksRound, step: string): ResourceRecord | undefined {
  const record = records.get(step);
  return record?.state === "gone" ? undefined : record;
}
