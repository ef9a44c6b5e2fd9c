import { accessEntryStep } from "./access-entry-step.ts";
import { clusterStep } from "./cluster-step.ts";
import type { EksRound, EksStep } from "./eks-round.ts";
import { addressStep, internetGatewayStep, natGatewayStep, subnetStep, vpcStep } from "./network-steps.ts";
import { groupStepOf, nodegroupStep } from "./nodegroup-step.ts";
import { gatewayCount, hasOwnNetwork } from "./own-network.ts";
import { roleStep } from "./role-steps.ts";
import { routeTableStep } from "./route-steps.ts";
import { zoneCount } from "./zones.ts";

/** Everything that the object wants, in the order in which it is made. */
export function wantedSteps(round: EksRound): EksStep[] {
  const { settings, records } = round;
  const groups = settings.nodeGroups.map((group) => nodegroupStep(round, groupStepOf(group), group));
  return [
    ...(hasOwnNetwork(round) ? networkSteps(round) : []),
    roleStep(round, "cluster"),
    roleStep(round, "node"),
    clusterStep(round),
    // One that was taken back stays away: the agent has joined.
    ...(records.get("access-entry")?.attributes["isRevoked"] === true ? [] : [accessEntryStep(round)]),
    ...groups,
  ];
}

function networkSteps(round: EksRound): EksStep[] {
  const zones = Array.from({ length: zoneCount }, (_, at) => at + 1);
  const gateways = zones.slice(0, gatewayCount(round));
  return [
    vpcStep(round),
    internetGatewayStep(round),
    ...zones.map((number) => subnetStep(round, "public", number)),
    ...zones.map((number) => subnetStep(round, "private", number)),
    ...gateways.map((number) => addressStep(round, number)),
    ...gateways.map((number) => natGatewayStep(round, number)),
    routeTableStep(round, "public"),
    ...gateways.map((number) => routeTableStep(round, `private-${number}`)),
  ];
}

/** The step that takes away what a record tells of, whether or not the object still wants it. */
export function stepOfRecord(round: EksRound, step: string): EksStep | undefined {
  const number = Number(step.at(-1));
  const [kind = "", detail = ""] = step.split("-");
  switch (kind) {
    case "vpc":
      return vpcStep(round);
    case "internet":
      return internetGatewayStep(round);
    case "subnet":
      return subnetStep(round, detail === "public" ? "public" : "private", number);
    case "address":
      return addressStep(round, number);
    case "nat":
      return natGatewayStep(round, number);
    case "routes":
      return routeTableStep(round, detail === "public" ? "public" : `private-${number}`);
    case "role":
      return roleStep(round, detail === "cluster" ? "cluster" : "node");
    case "cluster":
      return clusterStep(round);
    case "access":
      return accessEntryStep(round, { isGoing: true });
    case "nodes":
      return nodegroupStep(round, step);
    default:
      return undefined;
  }
}
