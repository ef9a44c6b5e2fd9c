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
  aws: {
    required: [],
    optional: ["accessKeyId", "secretAccessKey", "sessionToken", "roleArn", "externalId", "sessionTags"],
  },
  tsig: { required: ["name", "secret"], optional: ["algorithm"] },
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
    "tsig",
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
  description:
    "A secret for git, a registry, a name server or a cloud; it can be written and used, and never read.",
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
  return [...missing, ...unknown, ...(valueProblems[type] ?? halfCertificate)(data)];
}

type SecretValues = Readonly<Record<string, string>>;

/** What is wrong with the values of a type, beside keys that are missing. */
const valueProblems: Partial<Record<Static<typeof spec>["type"], (data: SecretValues) => Problem[]>> = {
  aws: halfAwsKey,
  tsig: ({ name, algorithm, secret: key }) => [
    ...unlessForm("name", name, tsigName, "a DNS name such as bowline-key"),
    ...unlessForm("algorithm", algorithm, tsigAlgorithm, "hmac-sha256, hmac-sha384 or hmac-sha512"),
    ...unlessForm("secret", key, base64, "base64, as tsig-keygen prints it"),
  ],
};

const tsigName = /^[A-Za-z0-9_]([-A-Za-z0-9_.]{0,251}[A-Za-z0-9_])?\.?$/u;
const tsigAlgorithm = /^hmac-sha(256|384|512)$/u;
const base64 = /^([A-Za-z0-9+/]{4})+([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/u;

function unlessForm(key: string, value: string | undefined, form: RegExp, expects: string): Problem[] {
  return value === undefined || form.test(value)
    ? []
    : [{ path: `spec.data.${key}`, message: `must be ${expects}` }];
}

/** Neither is of use without the other. */
function halfCertificate(data: Readonly<Record<string, string>>): Problem[] {
  const [given, missing] = Object.hasOwn(data, "clientCert")
    ? ["clientCert", "clientKey"]
    : ["clientKey", "clientCert"];
  if (!Object.hasOwn(data, given) || Object.hasOwn(data, missing)) return [];
  return [{ path: `spec.data.${missing}`, message: `is required beside ${given}` }];
}

const roleArn = /^arn:aws[-a-z]*:iam::\d{12}:role\/[\w+=,.@/-]{1,512}$/u;
const externalId = /^[\w+=,.@:/-]{2,1224}$/u;
const sessionTags = /^[^,=]{1,128}=[^,=]{0,256}(,[^,=]{1,128}=[^,=]{0,256}){0,49}$/u;

/** A key, a role to become, or both: a server with an identity of its own needs no key. */
function halfAwsKey(data: Readonly<Record<string, string>>): Problem[] {
  const problems: Problem[] = [];
  const need = (key: string, because: string): void => {
    if (!Object.hasOwn(data, key))
      problems.push({ path: `spec.data.${key}`, message: `is required ${because}` });
  };
  const hasKey = ["accessKeyId", "secretAccessKey", "sessionToken"].some((key) => Object.hasOwn(data, key));
  if (hasKey || !Object.hasOwn(data, "roleArn")) {
    const because = hasKey ? "with the rest of the key" : "for a Credential of type aws without a roleArn";
    need("accessKeyId", because);
    need("secretAccessKey", because);
  }
  for (const key of ["externalId", "sessionTags"]) {
    if (Object.hasOwn(data, key)) need("roleArn", `beside ${key}`);
  }
  const forms = [
    ["roleArn", roleArn, "the ARN of a role, such as arn:aws:iam::111122223333:role/bowline"],
    ["externalId", externalId, "2 to 1224 letters, digits and any of _+=,.@:/-"],
    ["sessionTags", sessionTags, "tags such as team=platform,cost=42"],
  ] as const;
  return [...problems, ...forms.flatMap(([key, form, expects]) => unlessForm(key, data[key], form, expects))];
}
