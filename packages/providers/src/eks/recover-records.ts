import { resourceToken, type ResourceRecord } from "../resource-record.ts";
import { describeCluster, isOwn, unless } from "./cluster-step.ts";
import { taggedThings } from "./eks-orphans.ts";
import { saveRecord, type EksRound, type EksStep } from "./eks-round.ts";
import { wantedSteps } from "./eks-steps.ts";
import { clusterTag, intentTag } from "./names.ts";
import { nodegroupStep } from "./nodegroup-step.ts";
import { roleStep } from "./role-steps.ts";

/** A thing that was made again more often than this is told by the sweep, and by nothing else. */
const mostAttempts = 50;

/**
 * Writes records of what AWS has of a cluster and nobody remembers, by the marks; what is remembered stays as it is. Only
 * looks. Resolves to how many there were.
 */
export async function recoverRecords(round: EksRound): Promise<number> {
  const found = [
    ...(await networkRecords(round)),
    ...(await roleRecords(round)),
    ...(await clusterRecords(round)),
  ];
  const ids = new Set(found.map(({ id }) => id));
  const lost = found.filter(({ step }) => {
    const known = round.records.get(step);
    // Two of a kind are one too many: the one that is remembered has to go first.
    return known === undefined || known.state === "gone" || (known.id !== undefined && !ids.has(known.id));
  });
  for (const record of lost) await saveRecord(round, record);
  return lost.length;
}

/** Marks are derived from steps, so that each tells which step made it. */
async function networkRecords(round: EksRound): Promise<ResourceRecord[]> {
  const { work, aws, settings } = round;
  const network = { privateEndpoint: false, highAvailability: true };
  const steps = wantedSteps({ ...round, records: new Map(), settings: { ...settings, network } });
  const byToken = new Map(
    steps.flatMap((step) =>
      Array.from({ length: mostAttempts }, (_, at) => {
        const token = resourceToken(work.cluster.id, step.step, at + 1);
        return [token, { step, attempt: at + 1 }] as const;
      }),
    ),
  );
  return (await taggedThings(aws)).flatMap(({ id, type, tags }) => {
    const made = byToken.get(tags[intentTag] ?? "");
    if (made === undefined || !type.startsWith("ec2:") || tags[clusterTag] !== work.cluster.id) return [];
    return [recordOf(round, made.step, { id, attempt: made.attempt })];
  });
}

async function roleRecords(round: EksRound): Promise<ResourceRecord[]> {
  const found = (["cluster", "node"] as const).map(async (kind) => {
    const step = roleStep(round, kind);
    const role = await step.find(recordOf(round, step, { attempt: 1 }));
    return role === undefined || role.isForeign === true
      ? []
      : [recordOf(round, step, { id: role.id, attempt: 1 })];
  });
  return (await Promise.all(found)).flat();
}

/** The control plane and its nodes; access goes with it. */
async function clusterRecords(round: EksRound): Promise<ResourceRecord[]> {
  const { aws, name } = round;
  const cluster = await describeCluster(round);
  if (cluster === undefined || !isOwn(round, cluster)) return [];
  const step = wantedSteps(round).find((each) => each.step === "cluster");
  const { nodegroups = [] } =
    (await aws
      .send("eks:ListNodegroups", { clusterName: name })
      .catch(unless("ResourceNotFoundException"))) ?? {};
  const groups = await ownGroups(round, nodegroups);
  const wasActive = cluster.endpoint !== undefined;
  return [
    ...(step === undefined
      ? []
      : [recordOf(round, step, { id: name, attempt: 1, attributes: { wasActive } })]),
    ...groups.map(({ group, id }) => recordOf(round, group, { id, attempt: 1 })),
  ];
}

/** Those that somebody else has made in the cluster are not touched. */
async function ownGroups(
  round: EksRound,
  names: readonly string[],
): Promise<{ readonly group: EksStep; readonly id: string }[]> {
  const groups = names.map((name) => nodegroupStep(round, `nodes-${name}`));
  const found = groups.map(async (group) => {
    const thing = await group.find(recordOf(round, group, { attempt: 1 }));
    return thing === undefined || thing.isForeign === true ? [] : [{ group, id: thing.id }];
  });
  return (await Promise.all(found)).flat();
}

function recordOf(
  { work }: EksRound,
  { step, type, region }: EksStep,
  {
    attempt,
    ...known
  }: { readonly id?: string; readonly attempt: number; readonly attributes?: ResourceRecord["attributes"] },
): ResourceRecord {
  return {
    step,
    type,
    ...(region === undefined ? {} : { region }),
    attempt,
    token: resourceToken(work.cluster.id, step, attempt),
    intentAtMs: work.clock.now(),
    state: "created",
    attributes: {},
    ...known,
  };
}
