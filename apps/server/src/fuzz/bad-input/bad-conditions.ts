import { hasBody, needsObject, withFields, withHeader, type BadRequest } from "./bad-request.ts";
import type { Action } from "./actions.ts";

function writesObject(action: Action): boolean {
  return needsObject(action) && action.method !== "GET";
}

function isApply({ verb }: Action): boolean {
  return verb === "update";
}

const notHeld = { status: 412, code: "PreconditionFailed" } as const;
const noTag = { status: 400, code: "InvalidArgument" } as const;

/** Writes on conditions that do not hold, or that are none. */
export const badConditions: readonly BadRequest[] = [
  ...['"1"', '"999999"', 'W/"1"', '"a", "b"', '""'].map((tags): BadRequest => ({
    what: `the stale ETag ${tags}`,
    on: writesObject,
    change: (target) => withHeader(target, "If-Match", tags),
    ...notHeld,
    message: /If-Match/u,
  })),
  {
    what: "an ETag of what is not there",
    on: ({ path }) => path === "/fresh",
    change: (target) => withHeader(target, "If-Match", "*"),
    ...notHeld,
    message: /there is none/u,
  },
  {
    what: "the condition that there is none, where there is one",
    on: (action) => isApply(action) && needsObject(action),
    change: (target) => withHeader(target, "If-None-Match", "*"),
    ...notHeld,
    message: /If-None-Match/u,
  },
  ...["42", "'42'", '"42', '"4"2"', "W/42", ",", '"a" "b"', `"${"1,".repeat(600)}"`].map(
    (tags): BadRequest => ({
      what: `${tags.slice(0, 20)} for an ETag`,
      on: (action) => writesObject(action) || isApply(action),
      change: (target) => withHeader(target, "If-Match", tags),
      ...noTag,
      message: /^If-Match is/u,
    }),
  ),
  {
    what: "nonsense for an ETag that is known",
    on: (action) => isApply(action) || action.verb === "get",
    change: (target) => withHeader(target, "If-None-Match", "yesterday"),
    ...noTag,
    message: /^If-None-Match is/u,
  },
  {
    what: "a stale resourceVersion in the body",
    on: hasBody,
    change: (target) => withFields(target, { metadata: { resourceVersion: "1" } }),
    status: 409,
    code: "Conflict",
    message: /at version 1\b/u,
  },
  ...["", "with space", "\u{e9}", "k".repeat(129)].map((key): BadRequest => ({
    what: `the idempotency key «${key.slice(0, 20)}»`,
    on: ({ name }) => name === "create",
    change: (target) => withHeader(target, "Idempotency-Key", key),
    ...noTag,
    message: /^Idempotency-Key is/u,
  })),
];
