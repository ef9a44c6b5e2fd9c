import { gzipSync } from "node:zlib";

import { maxBodyBytes } from "../fuzz-server.ts";
import {
  bodyOf,
  hasBody,
  takesObject,
  withFields,
  withHeader,
  withText,
  type BadRequest,
  type Target,
} from "./bad-request.ts";

const unreadable = { on: hasBody, status: 400, code: "BadRequest" } as const;
const invalid = { status: 422, code: "Invalid" } as const;
const notThisType = { on: hasBody, status: 415, code: "ContentTypeNotSupported" } as const;

/** The field of a body that the route reads. */
function mainField({ action }: Pick<Target, "action">): "spec" | "status" {
  return action.verb === "update-status" ? "status" : "spec";
}

function writesSpec(action: Target["action"]): boolean {
  return hasBody(action) && mainField({ action }) === "spec";
}

function deep(levels: number): string {
  return `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
}

/** Bodies that cannot be read at all. */
const unreadableBodies: readonly BadRequest[] = [
  {
    what: "broken JSON",
    ...unreadable,
    change: (target) => withText(target, '{\n  "spec": x}'),
    message: /line 2, column 11/u,
  },
  {
    what: "JSON that is cut off",
    ...unreadable,
    change: (target) => withText(target, '{"metadata"'),
    message: /line 1, column 12/u,
  },
  { what: "two bodies", ...unreadable, change: (target) => withText(target, "{} {}"), message: /column 4/u },
  {
    what: "a number that JSON does not have",
    ...unreadable,
    change: (target) => withText(target, '{"a":NaN}'),
    message: /column 6/u,
  },
  { what: "no body", ...unreadable, change: (target) => withText(target, ""), message: /needs a body/u },
  {
    what: "a body that is not in UTF-8",
    ...unreadable,
    change: ({ request }) => ({ ...request, body: Buffer.from([0x7b, 0xff, 0x7d]) }),
    message: /UTF-8/u,
  },
  {
    what: "a body that is too large",
    on: hasBody,
    status: 413,
    code: "BodyTooLarge",
    change: (target) => withFields(target, { metadata: { annotations: { a: "x".repeat(maxBodyBytes) } } }),
    message: /524288 bytes/u,
  },
  {
    what: "a body that is too deep",
    ...unreadable,
    change: (target) => withText(target, deep(33)),
    message: /nested deeper than 32 levels/u,
  },
  {
    what: "a body that is so deep that a program could fall over it",
    ...unreadable,
    change: (target) => withText(target, deep(50_000)),
    message: /nested deeper than 32 levels/u,
  },
  {
    what: "a body with too many values",
    ...unreadable,
    change: (target) => withText(target, `{"spec":[${"0,".repeat(100_000)}0]}`),
    message: /more than 100000 values/u,
  },
  {
    what: "a body of another type",
    ...notThisType,
    change: (target) => withHeader(target, "Content-Type", "application/yaml"),
    message: /application\/json/u,
  },
  {
    what: "a body of no type",
    ...notThisType,
    change: ({ request }) => ({ ...request, headers: [] }),
    message: /application\/json|Content-Type/u,
  },
  {
    what: "a compressed body",
    ...notThisType,
    change: (target) => {
      const request = withHeader(target, "Content-Encoding", "gzip");
      return { ...request, body: gzipSync(String(request.body)) };
    },
    message: /compression/u,
  },
];

/** JSON that makes no sense. */
const invalidBodies: readonly BadRequest[] = [
  ...["[]", "null", "7", '"text"', "true"].map((text): BadRequest => ({
    what: `the body ${text}`,
    ...invalid,
    on: hasBody,
    change: (target) => withText(target, text),
    message: /it must be an object/u,
  })),
  {
    what: "a list for what should be an object",
    ...invalid,
    on: hasBody,
    change: (target) => withFields(target, { [mainField(target)]: [] }),
    field: mainField,
    message: /must be an object, not a list/u,
  },
  {
    what: "text for what should be an object",
    ...invalid,
    on: hasBody,
    change: (target) => withFields(target, { metadata: "x" }),
    field: "metadata",
    message: /must be an object/u,
  },
  {
    what: "a value of the wrong type",
    ...invalid,
    on: hasBody,
    change: (target) => withFields(target, { [mainField(target)]: wrongField(target) }),
    field: (target) => `${mainField(target)}.${Object.keys(wrongField(target)).join(".")}`,
  },
  {
    what: "an unknown field",
    ...invalid,
    on: hasBody,
    change: (target) => withFields(target, { metadatas: {} }),
    field: "metadatas",
    message: /did you mean «metadata»\?/u,
  },
  {
    what: "an unknown field of the metadata",
    ...invalid,
    on: hasBody,
    change: (target) => withFields(target, { metadata: { lables: {} } }),
    field: "metadata.lables",
    message: /did you mean «labels»\?/u,
  },
  {
    what: "an unknown field further in",
    ...invalid,
    on: hasBody,
    change: (target) => withFields(target, { [mainField(target)]: { nonsense: 1 } }),
    field: (target) => `${mainField(target)}.nonsense`,
  },
  {
    what: "a field that reaches for the prototype",
    ...invalid,
    on: hasBody,
    change: (target) => withText(target, JSON.stringify(bodyOf(target)).replace("{", '{"__proto__":{},')),
    field: "__proto__",
  },
  {
    what: "another kind",
    ...invalid,
    on: hasBody,
    change: (target) => withFields(target, { kind: "Clusterr" }),
    field: "kind",
  },
  {
    what: "another version of the API",
    ...invalid,
    on: hasBody,
    change: (target) => withFields(target, { apiVersion: "bowline.dev/v2" }),
    field: "apiVersion",
  },
  {
    what: "a label with a bad value",
    ...invalid,
    on: writesSpec,
    change: (target) => withFields(target, { metadata: { labels: { app: "a b" } } }),
    field: "metadata.labels.app",
  },
  {
    what: "a label with a bad key",
    ...invalid,
    on: writesSpec,
    change: (target) => withFields(target, { metadata: { labels: { "a b": "c" } } }),
    field: 'metadata.labels["a b"]',
  },
  {
    what: "a NUL character",
    ...invalid,
    on: writesSpec,
    change: (target) => withFields(target, { metadata: { annotations: { a: "\0" } } }),
    field: "metadata.annotations.a",
    message: /NUL/u,
  },
  {
    what: "half of a character",
    ...invalid,
    on: writesSpec,
    change: (target) => withFields(target, { metadata: { annotations: { a: "\ud800" } } }),
    field: "metadata.annotations.a",
    message: /Unicode/u,
  },
  {
    what: "no spec",
    ...invalid,
    on: takesObject,
    change: (target) => withFields(target, { spec: null }),
    field: "spec",
    message: /is required/u,
  },
  {
    what: "a resourceVersion that is none",
    ...invalid,
    on: hasBody,
    change: (target) => withFields(target, { metadata: { resourceVersion: "latest" } }),
    field: "metadata.resourceVersion",
  },
];

function wrongField({ sample, action }: Pick<Target, "sample" | "action">): object {
  const [field, value] = sample.wrong;
  return mainField({ action }) === "status" ? { conditions: "none" } : { [field]: value };
}

export const badBodies: readonly BadRequest[] = [...unreadableBodies, ...invalidBodies];
