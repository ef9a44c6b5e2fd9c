import { didYouMean } from "@bowline/core";
import type { Static } from "typebox";

import { defineKind } from "../kind/define-kind.ts";
import type { ObjectOf } from "../kind/kind.ts";
import { statusOf } from "../bodies/status.ts";
import { choice, line, list, map, object, optional, secret, text, withDefault } from "../schema/build.ts";
import { singleLine, type TextRule } from "../schema/text-rule.ts";
import type { Problem } from "../validate/report.ts";

const dataKey: TextRule = {
  pattern: "^[A-Za-z0-9][-A-Za-z0-9_.]*$",
  expects: "letters, digits, '-', '_' and '.', with a letter or digit first",
  minLength: 1,
  maxLength: 63,
};

/** What a server that has a certificate of its own, or wants to see one, needs beside the rest. */
const tlsKeys = ["caPem", "clientCert", "clientKey"] as const;

/** The keys that each type must have and may have; `opaque` takes any. */
const keysOf = {
  basic: { required: ["username", "password"], optional: tlsKeys },
  token: { required: ["token"], optional: ["username", ...tlsKeys] },
  "ssh-key": { required: ["privateKey", "knownHosts"], optional: ["passphrase"] },
  tls: { required: [], optional: tlsKeys },
  registry: { required: ["server", "username", "password"], optional: [] },
  aws: { required: ["accessKeyId", "secretAccessKey"], optional: ["sessionToken"] },
  opaque: undefined,
} as const;

const host: TextRule = {
  pattern: "^(\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?)(:[0-9]{1,5})?$",
  expects: "a host such as git.example.com, with a port if it is to be the only one",
  minLength: 1,
  maxLength: 260,
};

const spec = object("A secret, and what it is.", {
  type: choice("What the secret is, which says what keys it has.", [
    "basic",
    "token",
    "ssh-key",
    "tls",
    "registry",
    "aws",
    "opaque",
  ]),
  data: optional(
    secret(
      map(
        "The secret values. Kept encrypted and never returned; an update without them leaves them as they are.",
        text("A secret value.", { minLength: 1, maxLength: 65_536 }),
        { keys: dataKey, minProperties: 1, maxProperties: 16 },
      ),
    ),
  ),
  hosts: optional(
    list(
      "The hosts it may be sent to, for git: to others it is not sent, whoever writes them into a source.",
      text("A host.", { ...host, examples: ["git.example.com"] }),
      { minItems: 1, maxItems: 50, unique: true },
    ),
  ),
});

const fingerprint: TextRule = {
  pattern: "^[0-9a-f]{16}$",
  expects: "16 hexadecimal digits",
  maxLength: 16,
};

const status = statusOf({
  keys: withDefault(
    list("The keys that have a value.", line("A key.", singleLine, 63), { maxItems: 16, unique: true }),
    [],
  ),
  fingerprint: optional(text("Changes with the values and tells nothing about them.", fingerprint)),
});

export const Credential = defineKind({
  kind: "Credential",
  plural: "credentials",
  shortNames: ["cred"],
  description: "A secret for git, a registry or a cloud; it can be written and used, and never read.",
  spec,
  status,
  columns: [
    { header: "TYPE", path: "spec.type" },
    { header: "KEYS", path: "status.keys[]" },
    { header: "FINGERPRINT", path: "status.fingerprint", wide: true },
  ],
  filterable: ["spec.type"],
  derived: {
    fields: ["keys", "fingerprint"],
    of: ({ data = {} }, fingerprint) => ({ keys: Object.keys(data).toSorted(), fingerprint }),
  },
  check: ({ type, data }) => (data === undefined ? [] : dataProblems(type, data)),
  // The values that are kept have the keys of the old type.
  checkChange: (before, after) =>
    before.type === after.type || after.data !== undefined
      ? []
      : [{ path: "spec.data", message: "is required when spec.type changes" }],
});
export type Credential = ObjectOf<typeof Credential>;

function dataProblems(type: Static<typeof spec>["type"], data: Readonly<Record<string, string>>): Problem[] {
  const keys = keysOf[type];
  if (keys === undefined) return [];
  const known: readonly string[] = [...keys.required, ...keys.optional];
  const missing = keys.required
    .filter((key) => !Object.hasOwn(data, key))
    .map((key) => ({ path: `spec.data.${key}`, message: `is required for a Credential of type ${type}` }));
  const unknown = Object.keys(data)
    .filter((key) => !known.includes(key))
    .map((key) => ({
      path: `spec.data[${JSON.stringify(key)}]`,
      message: `does not belong to a Credential of type ${type}${didYouMean(key, known)}`,
    }));
  return [...missing, ...unknown, ...halfCertificate(data)];
}

/** Neither is of use without the other. */
function halfCertificate(data: Readonly<Record<string, string>>): Problem[] {
  const [given, missing] = Object.hasOwn(data, "clientCert")
    ? ["clientCert", "clientKey"]
    : ["clientKey", "clientCert"];
  if (!Object.hasOwn(data, given) || Object.hasOwn(data, missing)) return [];
  return [{ path: `spec.data.${missing}`, message: `is required beside ${given}` }];
}
