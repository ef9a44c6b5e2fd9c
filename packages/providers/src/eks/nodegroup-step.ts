import { createHash } from "node:crypto";

import type { Nodegroup, Taint, UpdateNodegroupConfigCommandInput } from "@aws-sdk/client-eks";
import type { EksSettings } from "@bowline/api";

import type { ResourceRecord } from "../resource-record.ts";
import { roleArnOf, subnetIdsOf, unless } from "./cluster-step.ts";
import type { EksRound, EksStep } from "./eks-round.ts";
import { clusterTag, tagsOf } from "./names.ts";
import { hasOwnNetwork } from "./own-network.ts";

export type NodeGroup = EksSettings["nodeGroups"][number];

/** Ends with what cannot be changed of a group: one of another type is another group, which takes its place. */
export function groupNameOf({ name, instanceType, diskGiB, capacity }: NodeGroup): string {
  const fixed = JSON.stringify([instanceType, diskGiB, capacity]);
  return `${name.slice(0, 50)}-${createHash("sha256").update(fixed).digest("hex").slice(0, 6)}`;
}

export function groupStepOf(group: NodeGroup): string {
  return `nodes-${groupNameOf(group)}`;
}

/** The step of a group; without its settings it can be found and removed, and not be made. */
export function nodegroupStep(round: EksRound, step: string, wanted?: NodeGroup): EksStep {
  const { aws, name } = round;
  const nodegroupName = step.slice("nodes-".length);
  const group = { clusterName: name, nodegroupName };
  return {
    step,
    type: "eks:nodegroup",
    region: aws.region,
    renamed: `the nodes ${wanted?.name ?? nodegroupName}`,
    text: `Create the nodes ${wanted?.name ?? nodegroupName}`,
    reason: "CreatingNodes",
    expectedSeconds: 240,
    needs: ["cluster", "role-node", ...routesOf(round)],
    isWatched: true,
    find: async (record) => {
      const answer = await aws
        .send("eks:DescribeNodegroup", group)
        .catch(unless("ResourceNotFoundException"));
      const found = answer?.nodegroup;
      if (found === undefined) return undefined;
      if (found.tags?.[clusterTag] !== round.work.cluster.id) {
        return { id: nodegroupName, isReady: false, isForeign: true };
      }
      return {
        id: nodegroupName,
        isReady: found.status === "ACTIVE",
        // Of the last update only the record knows.
        attributes: { ...attributesOf(found, wanted), update: record.attributes["update"] },
      };
    },
    create: async (record) => {
      if (wanted !== undefined) await create(round, record, { group, wanted });
      return { id: nodegroupName, isReady: false };
    },
    remove: async () => {
      await aws
        .send("eks:DeleteNodegroup", group)
        .catch(unless("ResourceNotFoundException", "ResourceInUseException"));
    },
  };
}

async function create(
  round: EksRound,
  record: ResourceRecord,
  {
    group,
    wanted,
  }: {
    readonly group: { readonly clusterName: string; readonly nodegroupName: string };
    readonly wanted: NodeGroup;
  },
): Promise<void> {
  const { minSize, maxSize, desired = minSize, diskGiB, capacity, labels, instanceType } = wanted;
  await round.aws.send("eks:CreateNodegroup", {
    ...group,
    clientRequestToken: record.token,
    nodeRole: roleArnOf(round, "role-node"),
    subnets: subnetIdsOf(round, "private"),
    instanceTypes: [instanceType],
    scalingConfig: { minSize, maxSize, desiredSize: desired },
    capacityType: capacity === "spot" ? "SPOT" : "ON_DEMAND",
    ...(diskGiB === undefined ? {} : { diskSize: diskGiB }),
    ...(labels === undefined ? {} : { labels }),
    taints: taintsOf(wanted),
    tags: tagsOf(round.work, record),
  });
}

/** Nodes without a way out could not join. */
function routesOf(round: EksRound): string[] {
  if (!hasOwnNetwork(round)) return [];
  return [...round.records.keys()].filter((step) => step.startsWith("routes-private"));
}

const effects = {
  NoSchedule: "NO_SCHEDULE",
  PreferNoSchedule: "PREFER_NO_SCHEDULE",
  NoExecute: "NO_EXECUTE",
} as const;

function taintsOf({ taints = [] }: NodeGroup): Taint[] {
  return taints.map(({ key, value, effect }) => ({
    key,
    ...(value === undefined ? {} : { value }),
    effect: effects[effect],
  }));
}

function attributesOf(found: Nodegroup, wanted: NodeGroup | undefined): Readonly<Record<string, unknown>> {
  const issues = (found.health?.issues ?? []).map(
    ({ code, message }) => `${code ?? "Unknown"}: ${message ?? ""}`,
  );
  const isFailed = found.status === "CREATE_FAILED" || found.status === "DEGRADED";
  return {
    status: found.status,
    version: found.version,
    ...(isFailed ? { problem: issues.length === 0 ? "AWS does not say why." : issues.join(" ") } : {}),
    ...(wanted === undefined ? {} : { change: configChange(found, wanted) }),
  };
}

type ConfigChange = Omit<UpdateNodegroupConfigCommandInput, "clusterName" | "nodegroupName">;

/** What makes a group as it is wanted; how many there are between least and most is the autoscaler's. */
function configChange(found: Nodegroup, wanted: NodeGroup): ConfigChange | undefined {
  const { minSize, maxSize } = wanted;
  const now = found.scalingConfig ?? {};
  const desiredSize = Math.min(maxSize, Math.max(minSize, now.desiredSize ?? minSize));
  const isResized = now.minSize !== minSize || now.maxSize !== maxSize;
  const labels = labelChange(found.labels ?? {}, wanted.labels ?? {});
  const taints = taintChange(found.taints ?? [], taintsOf(wanted));
  if (!isResized && labels === undefined && taints === undefined) return undefined;
  return {
    ...(isResized ? { scalingConfig: { minSize, maxSize, desiredSize } } : {}),
    ...(labels === undefined ? {} : { labels }),
    ...(taints === undefined ? {} : { taints }),
  };
}

function labelChange(
  found: Readonly<Record<string, string>>,
  wanted: Readonly<Record<string, string>>,
): ConfigChange["labels"] {
  const added = Object.entries(wanted).filter(([key, value]) => found[key] !== value);
  const removed = Object.keys(found).filter((key) => !Object.hasOwn(wanted, key));
  if (added.length === 0 && removed.length === 0) return undefined;
  return { addOrUpdateLabels: Object.fromEntries(added), removeLabels: removed };
}

function taintChange(found: readonly Taint[], wanted: readonly Taint[]): ConfigChange["taints"] {
  const has = (taints: readonly Taint[], { key, value, effect }: Taint): boolean =>
    taints.some((each) => each.key === key && (each.value ?? "") === (value ?? "") && each.effect === effect);
  const isPlaceTaken = (taint: Taint): boolean =>
    wanted.some(({ key, effect }) => key === taint.key && effect === taint.effect);
  const added = wanted.filter((taint) => !has(found, taint));
  const removed = found.filter((taint) => !isPlaceTaken(taint));
  if (added.length === 0 && removed.length === 0) return undefined;
  return { addOrUpdateTaints: [...added], removeTaints: [...removed] };
}
