import type { ApiCall } from "../api-call.ts";
import { AwsFailure } from "../aws-failure.ts";
import type { Params } from "../http/params.ts";
import type { XmlValue } from "../http/xml.ts";
import type { Tags, Thing } from "../world/shelf.ts";

/** Fields of the answer, by the names that they have in XML. */
type Ec2Action = (params: Params, call: ApiCall) => Readonly<Record<string, XmlValue>>;
export type Ec2Actions = Readonly<Record<string, Ec2Action>>;

/** The tags that the request wants the new thing to have. */
function requestedTags(params: Params, type: string): Tags {
  const specification = params
    .structures("TagSpecification")
    .find((each) => each.text("ResourceType") === type);
  const tags = specification?.structures("Tag") ?? [];
  return Object.fromEntries(tags.map((tag) => [tag.text("Key"), tag.optional("Value") ?? ""]));
}

export interface NewThing {
  /** `CreateVpc`. */
  readonly action: string;
  /** As tags call it. */
  readonly type: string;
  readonly idPrefix: string;
}

/** A thing that may be made by whoever calls, with the tags that are to be on it; its maker adds the rest. */
export function newThing(params: Params, call: ApiCall, { action, type, idPrefix }: NewThing): Thing {
  const tags = requestedTags(params, type);
  const resource = call.world.arn("ec2", `${type}/*`);
  call.allow({ action: `ec2:${action}`, resource, requestTags: tags });
  if (Object.keys(tags).length > 0) {
    call.allow({
      action: "ec2:CreateTags",
      resource,
      requestTags: tags,
      context: { "ec2:CreateAction": action },
    });
  }
  const id = call.world.newId(idPrefix);
  return call.world.thing(id, call.world.arn("ec2", `${type}/${id}`), tags);
}

/** Whether whoever calls may do that to a thing that exists. */
export function allowOn(call: ApiCall, action: string, { arn, tags }: Thing): void {
  call.allow({ action: `ec2:${action}`, resource: arn, resourceTags: tags });
}

/** To be called when everything but the deed itself is done. */
export function endDryRun(params: Params): void {
  if (params.optional("DryRun") === "true") {
    throw new AwsFailure("DryRunOperation", "Request would have succeeded, but DryRun flag is set.", 412);
  }
}

export function dependencyViolation(id: string): AwsFailure {
  return new AwsFailure("DependencyViolation", `resource ${id} has dependencies and cannot be deleted.`);
}

export function tagSet(tags: Tags): XmlValue {
  return Object.entries(tags).map(([key, value]) => ({ key, value }));
}

/** Values of a thing that `filter` may ask for. */
export type FilterValues = Readonly<Record<string, readonly (string | undefined)[]>>;

/** Those that all filters of the request fit, and that it names, if it names any. */
export function filtered<T extends Thing>(
  params: Params,
  things: readonly T[],
  valuesOf: (thing: T) => FilterValues,
): T[] {
  const filters = params
    .structures("Filter")
    .map((filter) => ({ name: filter.text("Name"), wanted: filter.texts("Value") }));
  return things.filter((thing) => {
    const values: FilterValues = { ...tagValues(thing.tags), ...valuesOf(thing) };
    return filters.every(({ name, wanted }) => {
      const has = values[name] ?? (name.startsWith("tag:") ? [] : undefined);
      if (has === undefined) {
        throw new AwsFailure("InvalidParameterValue", `The filter '${name}' is invalid`);
      }
      return has.some((value) => value !== undefined && wanted.includes(value));
    });
  });
}

function tagValues(tags: Tags): FilterValues {
  return {
    "tag-key": Object.keys(tags),
    ...Object.fromEntries(Object.entries(tags).map(([key, value]) => [`tag:${key}`, [value]])),
  };
}
