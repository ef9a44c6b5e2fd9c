import { redactText } from "@bowline/core";

import { authorizationOf, type GitCredential } from "./credential.ts";

/** Takes secrets out of a text that somebody may see. */
export type Scrub = (text: string) => string;

const redacted = "[Redacted]";
/** Shorter ones would take common words out of every message; they still go out of headers and addresses. */
const shortestSecret = 4;
const shortestKeyLine = 16;

/** Removes this credential's values in each form that a program may print them in, and all that looks like a secret. */
export function scrubberOf(credential: GitCredential | undefined): Scrub {
  const secrets = [...new Set(secretsOf(credential).flatMap(formsOf))]
    .filter((secret) => secret.length >= shortestSecret)
    .toSorted((a, b) => b.length - a.length);
  return (text) => redactText(secrets.reduce((rest, secret) => rest.replaceAll(secret, redacted), text));
}

function secretsOf(credential: GitCredential | undefined): string[] {
  if (credential === undefined) return [];
  const header = authorizationOf(credential)?.replace("Basic ", "");
  const keys = credential.type === "ssh-key" ? [credential.privateKey] : [];
  const values = [
    credential.type === "basic" ? credential.password : undefined,
    credential.type === "token" ? credential.token : undefined,
    credential.type === "ssh-key" ? credential.passphrase : undefined,
    header,
    ...[...keys, credential.clientKey ?? ""].flatMap(keyLines),
  ];
  return values.filter((value) => value !== undefined);
}

/** A program that complains about a key may print any line of it. */
function keyLines(pem: string): string[] {
  return pem.split(/\r?\n/u).filter((line) => line.length >= shortestKeyLine && !line.startsWith("-----"));
}

function formsOf(secret: string): string[] {
  return [secret, encodeURIComponent(secret), Buffer.from(secret, "utf8").toString("base64")];
}
