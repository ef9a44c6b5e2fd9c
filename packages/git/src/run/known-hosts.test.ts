import { createHmac } from "node:crypto";

import { expect, it } from "vitest";

import { parseRepositoryUrl } from "../model/repository-url.ts";
import { keyFingerprint, knownFingerprints } from "./known-hosts.ts";

const key = Buffer.from("a key").toString("base64");
const shown = [`ssh-ed25519 ${keyFingerprint(key)}`];
const plain = parseRepositoryUrl("git@git.example.com:app");
const other = parseRepositoryUrl("ssh://git@git.example.com:2222/app");

function hashed(name: string): string {
  const salt = Buffer.from("salt").toString("base64");
  const hash = createHmac("sha1", Buffer.from(salt, "base64")).update(name).digest("base64");
  return `|1|${salt}|${hash}`;
}

it.each([
  ["git.example.com", shown, []],
  ["github.example,Git.Example.com", shown, []],
  ["[git.example.com]:2222", [], shown],
  [hashed("git.example.com"), shown, []],
  [hashed("[git.example.com]:2222"), [], shown],
  ["example.com", [], []],
  ["# git.example.com", [], []],
  ["@revoked git.example.com", [], []],
])("a line for %s is for its host and port only", (hosts, forPlain, forOther) => {
  const lines = `\n${hosts} ssh-ed25519 ${key} comment\n`;
  expect(knownFingerprints(lines, plain)).toEqual(forPlain);
  expect(knownFingerprints(lines, other)).toEqual(forOther);
});
