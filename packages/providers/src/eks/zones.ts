import { BowlineError } from "@bowline/core";

import type { EksRound } from "./eks-round.ts";

/** A control plane is in two zones. */
export const zoneCount = 2;

/** The zones to use, in the order of their names: those that have all types of machines. */
export async function zonesOf({ aws, settings }: EksRound): Promise<readonly string[]> {
  const { AvailabilityZones = [] } = await aws.send("ec2:DescribeAvailabilityZones", {
    Filters: [{ Name: "zone-type", Values: ["availability-zone"] }],
  });
  const types = [...new Set(settings.nodeGroups.map(({ instanceType }) => instanceType))];
  const { InstanceTypeOfferings = [] } = await aws.send("ec2:DescribeInstanceTypeOfferings", {
    LocationType: "availability-zone",
    Filters: [{ Name: "instance-type", Values: types }],
  });
  const zones = AvailabilityZones.flatMap(({ ZoneName, State }) =>
    ZoneName !== undefined && State === "available" ? [ZoneName] : [],
  ).toSorted();
  const has = (zone: string, type: string): boolean =>
    InstanceTypeOfferings.some(({ Location, InstanceType }) => Location === zone && InstanceType === type);
  const fit = zones.filter((zone) => types.every((type) => has(zone, type)));
  if (fit.length >= zoneCount) return fit.slice(0, zoneCount);
  const scarce = types.filter((type) => zones.filter((zone) => has(zone, type)).length < zoneCount);
  const which = scarce.length > 0 ? scarce.join(", ") : types.join(" and ");
  throw new BowlineError(
    "InvalidArgument",
    `${which} is not offered in ${zoneCount} zones of ${aws.region} together: choose another type of machine, or another region.`,
    { details: { reason: "ZoneHasNoCapacity" } },
  );
}
