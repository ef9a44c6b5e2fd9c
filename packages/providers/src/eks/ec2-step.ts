import type { ResourceType, TagSpecification } from "@aws-sdk/client-ec2";

import type { FoundResource } from "../ensure-resource.ts";
import type { ResourceRecord } from "../resource-record.ts";
import { AwsError } from "./aws/aws-api.ts";
import type { Ec2Kind } from "./ec2-kinds.ts";
import type { EksRound, EksStep } from "./eks-round.ts";
import { tagsOf } from "./names.ts";

/** A step of the network. What EC2 says is not there any more was taken away. */
export function ec2Step<Thing>(
  round: EksRound,
  kind: Ec2Kind<Thing>,
  {
    found,
    ...step
  }: Omit<EksStep, "reason" | "region" | "type" | "find"> & {
    /** Of the things that have the id, or the mark. */
    readonly found: (things: readonly Thing[]) => Promise<FoundResource | undefined>;
  },
): EksStep {
  return {
    ...step,
    type: `ec2:${kind.type}`,
    region: round.aws.region,
    reason: "CreatingNetwork",
    find: async (record) => found(await kind.find(round, record)),
    remove: (record) =>
      step.remove(record).catch((error: unknown) => {
        if (!(error instanceof AwsError) || !error.code.endsWith("NotFound")) throw error;
      }),
  };
}

/** The tags that go into the call that makes it. */
export function newTags(
  { work, name }: EksRound,
  record: ResourceRecord,
  type: ResourceType,
  more: Readonly<Record<string, string>> = {},
): { readonly TagSpecifications: TagSpecification[] } {
  const tags = { ...tagsOf(work, record), Name: `${name}-${record.step}`, ...more };
  const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
  return { TagSpecifications: [{ ResourceType: type, Tags }] };
}
