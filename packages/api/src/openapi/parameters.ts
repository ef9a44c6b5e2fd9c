import { maxCursorLength, pageLimits } from "../bodies/list.ts";
import { resourceVersionRule } from "../bodies/metadata.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { dnsLabel } from "../schema/text-rule.ts";
import { maxSelectorLength } from "../select/label-selector.ts";
import { expandedSchema } from "./components.ts";

const selector = { type: "string", maxLength: maxSelectorLength };
const name = { type: "string", pattern: dnsLabel.pattern, maxLength: dnsLabel.maxLength };
export const resourceVersion = {
  type: "string",
  pattern: resourceVersionRule.pattern,
  maxLength: resourceVersionRule.maxLength,
};

export const maxIdempotencyKeyLength = 128;

/** A tag is what stands between quotes; a `W/` before it says that it is weak. */
const entityTag = '(W/)?"[!#-~]*"';

/** Values of `If-Match` and `If-None-Match`: any object, or one with one of these tags. */
export const entityTagsRule = {
  pattern: `^(\\*|${entityTag}([ \\t]*,[ \\t]*${entityTag})*)$`,
  /** More than any client has seen of one object, and less than what is slow to look through. */
  maxLength: 1_024,
};

const entityTags = { type: "string", ...entityTagsRule };

export const parameterComponents = {
  Name: { name: "name", in: "path", required: true, description: "The name of the object.", schema: name },
  LabelSelector: query(
    "labelSelector",
    "Only objects whose labels match, e.g. `app=web,tier in (a,b),!canary`.",
    selector,
  ),
  FieldSelector: query(
    "fieldSelector",
    "Only objects whose fields match, e.g. `status.conditions.Ready=True`.",
    selector,
  ),
  Limit: query("limit", "How many objects a page has at most.", {
    type: "integer",
    minimum: 1,
    maximum: pageLimits.maximum,
    default: pageLimits.default,
  }),
  Cursor: query("cursor", "Go on where the page that gave this cursor ended.", {
    type: "string",
    maxLength: maxCursorLength,
  }),
  Watch: query("watch", "Send changes as server-sent events instead of a list.", {
    type: "boolean",
    default: false,
  }),
  ResourceVersion: query(
    "resourceVersion",
    "With watch: send the changes since then; without it, first an ADDED for every object there is.",
    resourceVersion,
  ),
  LastEventId: header(
    "Last-Event-ID",
    "With watch: what a client that reconnects has seen last; stronger than resourceVersion.",
    resourceVersion,
  ),
  DryRun: query("dryRun", "Check everything and write nothing; the answer is what would have been written.", {
    type: "boolean",
    default: false,
  }),
  Override: query(
    "override",
    "Change an object that comes from git all the same; the next commit of its ConfigSource sets it right.",
    { type: "boolean", default: false },
  ),
  Cascade: query(
    "cascade",
    "Deal with the objects that refer to this one as well, instead of being refused.",
    {
      type: "boolean",
      default: false,
    },
  ),
  IfMatch: header("If-Match", "Write only if the object still has this ETag.", entityTags),
  IfNoneMatch: header(
    "If-None-Match",
    "A get: answer 304 if the object still has this ETag. A put with `*`: only create.",
    entityTags,
  ),
  IdempotencyKey: header(
    "Idempotency-Key",
    "Repeating a create with the same key and body gives the first answer again instead of a second object.",
    { type: "string", minLength: 1, maxLength: maxIdempotencyKeyLength, pattern: "^[!-~]+$" },
  ),
} as const;

export const headerComponents = {
  RequestId: { description: "Names this request in the server's log.", schema: { type: "string" } },
  ETag: { description: "The resourceVersion in quotes, for If-Match.", schema: { type: "string" } },
  Location: { description: "The address of the object.", schema: { type: "string" } },
  "Bowline-Outcome": {
    description: "What the write came to; the status does not tell an update from one that changed nothing.",
    schema: { type: "string", enum: ["created", "updated", "unchanged", "deleting", "deleted"] },
  },
  RetryAfter: { description: "How many seconds to wait.", schema: { type: "integer", minimum: 0 } },
} as const;

export function parameters(...names: readonly (keyof typeof parameterComponents)[]): object[] {
  return names.map((component) => ({ $ref: `#/components/parameters/${component}` }));
}

function query(parameter: string, description: string, schema: object): object {
  return { name: parameter, in: "query", description, schema };
}

function header(parameter: string, description: string, schema: object): object {
  return { name: parameter, in: "header", description, schema };
}

/** Every field of the filters is a parameter of the address. */
export function filterParameters(filters: JsonSchema): object[] {
  return Object.entries(filters.properties ?? {}).map(([name, property]) => {
    const { description, ...schema } = property;
    const required = filters.required?.includes(name) === true ? { required: true } : {};
    return { name, in: "query", description, ...required, schema: expandedSchema(schema, new Map()) };
  });
}
