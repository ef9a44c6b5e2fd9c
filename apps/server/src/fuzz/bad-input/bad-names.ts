import {
  hasBody,
  needsObject,
  takesObject,
  withFields,
  type BadRequest,
  type Target,
} from "./bad-request.ts";
import type { WireRequest } from "../wire-request.ts";

const badNames: readonly (readonly [what: string, name: string])[] = [
  ["with capital letters", "Prod"],
  ["with a space", "a b"],
  ["with a dot", "a.b"],
  ["with a slash", "a/b"],
  ["that leads elsewhere", "../users"],
  ["with an accent", "caf\u{e9}"],
  ["with a NUL character", "a\0b"],
  ["with a hyphen first", "-a"],
  ["that is too long", "a".repeat(64)],
];

function named(target: Target, name: string): WireRequest {
  const { request, action, sample } = target;
  const suffix = action.path.endsWith("/status") ? "/status" : "";
  return { ...request, path: `/api/v1/${sample.kind.plural}/${encodeURIComponent(name)}${suffix}` };
}

/** Names that cannot be, and such that nothing goes by. */
export const badNameRequests: readonly BadRequest[] = [
  ...badNames.map(([what, name]): BadRequest => ({
    what: `a name ${what} in the body`,
    on: ({ name: action }) => action === "create",
    change: (target) => withFields(target, { metadata: { name } }),
    status: 422,
    code: "Invalid",
    field: "metadata.name",
  })),
  ...badNames.map(([what, name]): BadRequest => ({
    what: `a name ${what} in the address of a new object`,
    on: ({ name: action }) => action.startsWith("apply"),
    change: (target) => named({ ...target, request: withFields(target, { metadata: { name: null } }) }, name),
    status: 422,
    code: "Invalid",
    field: "metadata.name",
  })),
  ...badNames.map(([what, name]): BadRequest => ({
    what: `a name ${what} in the address`,
    on: (action) => needsObject(action) && !takesObject(action),
    change: (target) => named(target, name),
    status: 404,
    code: "NotFound",
  })),
  {
    what: "no name",
    on: ({ name }) => name === "create",
    change: (target) => withFields(target, { metadata: { name: null } }),
    status: 422,
    code: "Invalid",
    field: "metadata.name",
    message: /is required/u,
  },
  {
    what: "a name that is no text",
    on: takesObject,
    change: (target) => withFields(target, { metadata: { name: 7 } }),
    status: 422,
    code: "Invalid",
    field: "metadata.name",
  },
  {
    what: "another name than the address has",
    on: (action) => hasBody(action) && action.path !== "" && action.verb !== "update-status",
    change: (target) => withFields(target, { metadata: { name: "another" } }),
    status: 422,
    code: "Invalid",
    field: "metadata.name",
    message: /the name in the address/u,
  },
  {
    what: "a name that nothing goes by",
    on: (action) => needsObject(action) && !takesObject(action),
    change: (target) => named(target, "missing"),
    status: 404,
    code: "NotFound",
    message: /"missing"/u,
  },
  {
    what: "the id of an object for its name",
    on: (action) => needsObject(action) && !takesObject(action),
    change: (target) => named(target, "01980000-0000-7000-8000-000000000000"),
    status: 404,
    code: "NotFound",
  },
  {
    what: "a reference to what is not there, and has to be",
    on: (action, { kind }) =>
      ["create", "apply what is not there"].includes(action.name) &&
      kind.references.some(({ mustExist }) => mustExist === true),
    change: (target) => withFields(target, { spec: { [requiredReference(target)]: "nobody" } }),
    status: 422,
    code: "Invalid",
    field: (target) => `spec.${requiredReference(target)}`,
    message: /nobody/u,
  },
  {
    what: "a name that is taken",
    on: ({ name }) => name === "create",
    change: (target) => withFields(target, { metadata: { name: "sample" } }),
    status: 409,
    code: "AlreadyExists",
    message: /"sample"/u,
  },
  {
    what: "another value of what cannot change",
    on: ({ verb }, { kind }) => ["update", "patch"].includes(verb) && kind.immutable.length > 0,
    change: (target) =>
      target.action.path === "/fresh"
        ? withFields(target, { spec: null })
        : withFields(target, { spec: changed(target) }),
    status: 422,
    code: "Invalid",
    field: (target) => (target.action.path === "/fresh" ? "spec" : (target.sample.kind.immutable[0] ?? "")),
  },
];

/** Another value for the first field that cannot change. */
function changed({ sample }: Target): object {
  const values: Readonly<Record<string, object>> = {
    Token: { user: "viewer" },
    WorkloadPlacement: { instance: "other" },
  };
  return values[sample.kind.kind] ?? { provider: "kind" };
}

/** The field of the spec that names an object which has to be there. */
function requiredReference({ sample }: Target): string {
  const reference = sample.kind.references.find(({ mustExist }) => mustExist === true);
  return reference?.field.replace("spec.", "") ?? "";
}
