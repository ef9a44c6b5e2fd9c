import type { Filter, ResourceType, TagSpecification } from "@aws-sdk/client-ec2";

import type { ResourceRecord } from "../resource-record.ts";
import { AwsError } from "./aws/aws-api.ts";
import type { EksRound, EksStep } from "./eks-round.ts";
import { intentTag, tagsOf } from "./names.ts";

/** A step of the network. What EC2 says is not there any more was taken away. */
export function ec2Step(
  round: EksRound,
  step: Omit<EksStep, "reason" | "region"> & { readonly type: ResourceType },
): EksStep {
  return {
    ...step,
    type: `ec2:${step.type}`,
    region: round.aws.region,
    reason: "CreatingNetwork",
    remove: (record) =>
      step.remove(record).catch((error: unknown) => {
        if (!(error instanceof AwsError) || !error.code.endsWith("NotFound")) throw error;
      }),
  };
}

/** By its id where that is known, else by its mark: filters answer with nothing where it is not. */
export function filtersOf({ id, token }: ResourceRecord, idFilter: string): Filter[] {
  return id === undefined
    ? [{ Name: `tag:${intentTag}`, Values: [token] }]
    : [{ Name: idFilter, Values: [id] }];
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
