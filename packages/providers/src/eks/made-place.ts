import { BowlineError } from "@bowline/core";

import type { ResourceRecord } from "../resource-record.ts";
import type { EksRound } from "./eks-round.ts";

/** The region that things of a cluster are in; undefined where nothing says so. */
export function regionOfRecords(records: readonly ResourceRecord[]): string | undefined {
  return records.find(({ region }) => region !== undefined)?.region;
}

export function livingRecords(records: Iterable<ResourceRecord>): ResourceRecord[] {
  return [...records].filter(({ state }) => state !== "gone");
}

/** Refuses to look for a cluster where it never was: there it would seem to be gone, and be made a second time. */
export function requireSameRegion({ aws, work, records }: EksRound): void {
  const { region } = work.cluster.spec;
  if (aws.region === region || livingRecords(records.values()).length === 0) return;
  throw new BowlineError(
    "InvalidArgument",
    `The cluster was made in ${aws.region}, and spec.region is ${region} now: clusters of EKS cannot be moved. Set it back, or delete this one, which is done in ${aws.region}, and make another.`,
    { details: { reason: "PlaceChanged" } },
  );
}

/**
 * The same for the account, which is that of whoever asks. What is all gone may be made anew in another one, and is not
 * looked for there: its last look, after which it is forgotten, finds nothing where it never was.
 */
export async function requireSameAccount(
  { aws, records }: EksRound,
  { isAfterwards = false } = {},
): Promise<void> {
  if (!isAfterwards && livingRecords(records.values()).length === 0) return;
  // Those that are gone tell it too: the VPC, which goes last, may have been made by a call that nobody heard the end of.
  const known = accountOf(livingRecords(records.values())) ?? accountOf([...records.values()]);
  if (known === undefined) return;
  const { Account, Arn } = await aws.send("sts:GetCallerIdentity", {});
  if (Account === known) return;
  throw new BowlineError(
    "InvalidArgument",
    `What belongs to the cluster is in the account ${known} of AWS, and whoever asks is of ${Account} (${Arn}), where nothing of it can be seen: give the Credential, or the profile, of the first account. Nothing is forgotten until then.`,
    { details: { reason: "AccountChanged" } },
  );
}

function accountOf(records: readonly ResourceRecord[]): string | undefined {
  for (const { attributes } of records) {
    const { account, arn } = attributes;
    if (typeof account === "string") return account;
    const [, , , , inArn = ""] = typeof arn === "string" ? arn.split(":") : [];
    if (inArn !== "") return inArn;
  }
  return undefined;
}
