import type { EksSettings } from "@bowline/api";

import type { ResourceRecord } from "../resource-record.ts";
import { groupStepOf } from "./nodegroup-step.ts";

/**
 * List prices by the hour in us-east-1, in US dollars, as they were known on 2026-11-01. They are for an estimate that
 * tells a small cluster from a large one: regions, contracts, traffic and disks make the bill another.
 */
export const priceDate = "2026-11-01";
const controlPlane = 0.1;
const natGateway = 0.045;
/** One vCPU of a family, on demand; a type has as many as its size says. */
const perCpu: Readonly<Record<string, number>> = {
  t3: 0.0208,
  t4g: 0.0168,
  m5: 0.048,
  m6g: 0.0385,
  m6i: 0.048,
  m7g: 0.0408,
  m7i: 0.0504,
  c6g: 0.034,
  c6i: 0.0425,
  c7g: 0.0363,
  c7i: 0.0446,
  r6g: 0.0504,
  r6i: 0.063,
  r7g: 0.0536,
  r7i: 0.0661,
};
const cpus: Readonly<Record<string, number>> = { medium: 2, large: 2, xlarge: 4, metal: 64 };
/** What spot machines have cost of that, about. */
const spotShare = 0.35;

/** Undefined when the price of a type is not in the table: half an estimate would mislead. */
export function estimatedHourlyCost({ network, nodeGroups }: EksSettings): number | undefined {
  let sum = controlPlane;
  if (network?.vpcId === undefined) sum += natGateway * (network?.highAvailability === true ? 2 : 1);
  for (const group of nodeGroups) {
    const price = groupCost(group);
    if (price === undefined) return undefined;
    sum += price;
  }
  return rounded(sum);
}

/** The same of what there is, or may be; undefined as well when that is nothing that costs. */
export function hourlyCostSoFar(
  { nodeGroups }: EksSettings,
  records: readonly ResourceRecord[],
): number | undefined {
  const there = records.filter(({ state }) => state !== "gone");
  const count = (type: string): number => there.filter((record) => record.type === type).length;
  let sum = controlPlane * count("eks:cluster") + natGateway * count("ec2:natgateway");
  for (const group of nodeGroups) {
    if (!there.some(({ step }) => step === groupStepOf(group))) continue;
    const price = groupCost(group);
    if (price === undefined) return undefined;
    sum += price;
  }
  return sum === 0 ? undefined : rounded(sum);
}

function groupCost({
  instanceType,
  minSize,
  desired = minSize,
  capacity,
}: EksSettings["nodeGroups"][number]): number | undefined {
  const price = priceOf(instanceType);
  return price === undefined ? undefined : price * desired * (capacity === "spot" ? spotShare : 1);
}

function rounded(sum: number): number {
  return Math.round(sum * 1000) / 1000;
}

function priceOf(instanceType: string): number | undefined {
  const [family = "", size = ""] = instanceType.split(".");
  const price = perCpu[family];
  const [, times = "", unit = ""] = /^(\d*)(medium|large|xlarge|metal)$/u.exec(size) ?? [];
  const count = cpus[unit];
  if (price === undefined || count === undefined) return undefined;
  return price * count * (times === "" ? 1 : Number(times));
}
