import { parseDurationMs } from "@bowline/core";
import type { Static } from "typebox";

import { choice, dateTime, line, list, object, optional, text, withDefault } from "../schema/build.ts";
import {
  commitId,
  dnsLabel,
  duration,
  gitRef,
  revisionId,
  singleLine,
  type TextRule,
} from "../schema/text-rule.ts";
import type { Column, Reference } from "../kind/kind.ts";
import type { Problem } from "../validate/report.ts";

const url: TextRule = {
  pattern: "^((https|ssh)://[^\\s\\p{Cc}/]+/|file:///)[^\\s\\p{Cc}]*$",
  expects: "an address that starts with https://, ssh:// or file:///",
  maxLength: 2048,
};

const path: TextRule = {
  pattern: "^[^\\p{Cc}\\\\]*$",
  expects: "a folder or file inside of the repository",
  minLength: 1,
  maxLength: 1024,
};

const publicKey: TextRule = {
  pattern: "^(ssh-|ecdsa-|sk-|-----BEGIN PGP PUBLIC KEY BLOCK-----)",
  expects: "a line as in id_ed25519.pub, or what gpg --armor --export prints",
  minLength: 1,
  maxLength: 65_536,
};

const verify = object("Whose signatures count. What nobody of them signed is not used.", {
  mode: withDefault(
    choice("What must be signed: the commit, or the tag that the ref names.", ["commit", "tag"]),
    "commit",
  ),
  keys: list(
    "The public keys of those who may sign.",
    object("A public key.", {
      publicKey: text("The key, of SSH or of gpg.", publicKey),
      signer: optional(line("Whose it is; the comment of the key by default. For SSH.", singleLine, 253)),
      expiresAt: optional(dateTime("From when on its signatures do not count any more. For SSH.")),
    }),
    { minItems: 1, maxItems: 100 },
  ),
});

const webhook = object("A push may be told, so that nobody has to wait for the next look.", {
  credential: text("Name of the Credential of type token that deliveries are signed with.", dnsLabel),
});

export const gitSource = object("Manifests from a git repository.", {
  url: text("The address of the repository, without user name or password.", {
    ...url,
    examples: ["https://git.example.com/team/app.git"],
  }),
  ref: withDefault(text("The branch, tag or commit to take.", gitRef), "main"),
  path: withDefault(text("The folder or file to take manifests from.", path), "."),
  interval: withDefault(text("How often to look for a new commit; 10s at least.", duration), "1m"),
  credential: optional(text("Name of the Credential to sign in with.", dnsLabel)),
  verify: optional(verify),
  history: optional(
    choice(
      "Whether the branch may be moved to a commit that does not follow on the last one; any by default.",
      ["any", "fastForwardOnly"],
    ),
  ),
  webhook: optional(webhook),
});
export type GitSource = Static<typeof gitSource>;

/** Whether an object from git can be used, and whether it is what the repository has: the first columns of its kind. */
export const gitStateColumns: readonly Column[] = [
  { header: "READY", path: "status.conditions.Ready" },
  { header: "CURRENT", path: "status.conditions.UpToDate" },
];

/** Columns of a kind that has a source in git under this path. */
export function gitColumns(at: string): readonly Column[] {
  return [
    { header: "GIT-URL", path: `${at}.url` },
    { header: "REF", path: `${at}.ref`, wide: true },
  ];
}

/** Fields by which objects with a source in git under this path are looked for. */
export function gitFilters(at: string): readonly string[] {
  return [
    `${at}.url`,
    `${at}.credential`,
    "status.author.user",
    "status.conditions.Ready",
    "status.conditions.UpToDate",
    "status.source.webhook",
  ];
}

/** Names of credentials in a source in git under this path. */
export function gitReferences(at: string): readonly Reference[] {
  return [`${at}.credential`, `${at}.webhook.credential`].map((field) => ({
    field,
    kind: "Credential",
    cascade: "refuse",
  }));
}

const hookId: TextRule = { pattern: "^[0-9a-f]{32}$", expects: "32 hexadecimal digits", maxLength: 32 };

/** Of the status of every kind that comes from git. */
export const seenSource = object("What was last seen of a source in git.", {
  commit: optional(text("The commit that the ref had, whether or not it could be used.", commitId)),
  digest: optional(text("Hash of the files and settings that the revision was made from.", revisionId)),
  inputs: optional(
    text("Hash of the part of the spec that decided what was taken from the source last.", revisionId),
  ),
  renderer: optional(line("The program that rendered them, with its version.", singleLine, 256)),
  notes: optional(
    list("What was left out on purpose.", line("What, and why.", singleLine, 1024), { maxItems: 20 }),
  ),
  webhook: optional(text("The id in the address that a push is told to: /hooks/git/ID.", hookId)),
  pushedAt: optional(dateTime("When a push was last told.")),
  requestedAt: optional(dateTime("When somebody last asked to look at once.")),
  answeredAt: optional(dateTime("The request that was last answered by a look.")),
});
export type SeenSource = Static<typeof seenSource>;

const minIntervalMs = 10_000;
const maxIntervalMs = 24 * 3_600_000;

/** Problems of a source that follows the schema. */
export function gitSourceProblems(source: GitSource, at: string): Problem[] {
  const problems = [
    { path: `${at}.url`, message: urlProblem(source.url) },
    { path: `${at}.ref`, message: refProblem(source.ref) },
    { path: `${at}.path`, message: pathProblem(source.path) },
    { path: `${at}.interval`, message: intervalProblem(source.interval) },
    { path: `${at}.ref`, message: signedTagProblem(source) },
  ];
  return problems.flatMap(({ path, message }) => (message === undefined ? [] : [{ path, message }]));
}

/** The address is shown to everybody who may read the object, so it is no place for a password. */
function urlProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return `must be ${url.expects}`;
  const { protocol, username, password } = new URL(text);
  if (password !== "")
    return "must not contain a password; put it into a Credential and name it in credential";
  // With ssh the user is part of the address; with https it is half of a secret, or the secret itself.
  if (username !== "" && protocol === "https:") {
    return "must not contain a user name; put it into a Credential and name it in credential";
  }
  return undefined;
}

function refProblem(text: string): string | undefined {
  const broken =
    text.includes("..") || text.includes("//") || text.includes("@{") || /(?:[/.]|\.lock)$/u.test(text);
  return broken ? "is not a name that git allows" : undefined;
}

function pathProblem(text: string): string | undefined {
  if (text.startsWith("/")) return "must be relative to the root of the repository";
  return text.split("/").includes("..") ? "must not lead out of the repository" : undefined;
}

function intervalProblem(text: string): string | undefined {
  const intervalMs = parseDurationMs(text) ?? 0;
  if (intervalMs < minIntervalMs) return "must be at least 10s";
  return intervalMs > maxIntervalMs ? "must be at most 24h" : undefined;
}

/** A branch has no signature of its own. */
function signedTagProblem({ ref: name, verify: rule }: GitSource): string | undefined {
  return rule?.mode === "tag" && name.startsWith("refs/heads/")
    ? "must name a tag when verify.mode is tag"
    : undefined;
}
