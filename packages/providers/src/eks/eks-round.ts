import type { EksSettings } from "@bowline/api";
import { BowlineError } from "@bowline/core";

import type { ResourceHandler } from "../ensure-resource.ts";
import type { ProviderWork } from "../provider.ts";
import type { ResourceRecord } from "../resource-record.ts";
import type { AwsSession } from "./aws-session.ts";
import { awsNameOf } from "./names.ts";

/** How AWS is to be asked, and what is there, for as long as one call of the provider lasts. */
export interface EksRound {
  readonly work: ProviderWork;
  readonly aws: AwsSession;
  readonly settings: EksSettings;
  /** What the cluster is called in AWS. */
  readonly name: string;
  readonly records: Map<string, ResourceRecord>;
  /** Addresses that reach the public endpoint; all if missing. */
  readonly publicAccess: readonly string[] | undefined;
  /** Of a round that only looks, and asks for nothing twice. */
  readonly look?: object;
}

/** One thing of a cluster. */
export interface EksStep extends ResourceHandler {
  /** `Create the VPC`. */
  readonly text: string;
  readonly reason: "CreatingNetwork" | "CreatingControlPlane" | "CreatingNodes";
  readonly expectedSeconds: number;
  /** Steps whose things have to be ready before. */
  readonly needs: readonly string[];
  /** Whether it is looked at each time, because nothing works without it, or because others are made anew under it. */
  readonly isWatched?: boolean;
  /** Whether the control plane is made in it, and takes no other. */
  readonly isFoundation?: boolean;
  /** Does what `find` said that a thing lacks; to do it twice does no harm. */
  complete?(record: ResourceRecord, lack: string): Promise<void>;
}

export async function openRound(
  work: ProviderWork,
  aws: AwsSession,
  publicAccess?: readonly string[],
): Promise<EksRound> {
  const settings = work.cluster.spec.eks;
  if (settings === undefined) {
    throw new BowlineError("InvalidArgument", "spec.eks is required where spec.provider is eks.");
  }
  const records = new Map((await work.records.list()).map((record) => [record.step, record]));
  return { work, aws, settings, name: awsNameOf(work.cluster), records, publicAccess };
}

/** An answer that is asked for once in a look, and each time in rounds that change something. */
export function onceInALook<Answer>(
  ask: (round: EksRound) => Promise<Answer>,
): (round: EksRound) => Promise<Answer> {
  const answers = new WeakMap<object, Promise<Answer>>();
  return (round) => {
    if (round.look === undefined) return ask(round);
    const answer = answers.get(round.look) ?? ask(round);
    answers.set(round.look, answer);
    return answer;
  };
}

/** The id of a thing that another one needs. */
export function idOf({ records }: EksRound, step: string): string {
  const id = records.get(step)?.id;
  if (id !== undefined) return id;
  throw new BowlineError("Internal", `The thing of the step ${step} is needed before it has an id.`);
}

export function attributeOf({ records }: EksRound, step: string, name: string): string | undefined {
  const value = records.get(step)?.attributes[name];
  return typeof value === "string" ? value : undefined;
}

export async function saveRecord(
  { work, records }: EksRound,
  record: ResourceRecord,
): Promise<ResourceRecord> {
  await work.records.put(record);
  records.set(record.step, record);
  return record;
}

/** What was found of a thing, beside its id: what it lacks is done next. */
export function lacking(lacks: readonly string[]): {
  readonly isReady: boolean;
  readonly attributes: { readonly lacks: readonly string[]; readonly [name: string]: unknown };
} {
  return { isReady: lacks.length === 0, attributes: { lacks } };
}
