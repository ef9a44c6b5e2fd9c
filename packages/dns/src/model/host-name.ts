import { BowlineError } from "@bowline/core";

/** In text, without the dot at the end: 255 bytes on the wire. */
const longestName = 253;
const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/u;

/** Small letters, without the dot at the end: names that differ in nothing else are the same. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/\.$/u, "");
}

/** A name as DNS compares it; `InvalidArgument` for one that it cannot have. `what` begins the sentence. */
export function checkName(what: string, name: string): string {
  const plain = plainName(name);
  if (plain.length > longestName) throw refused(`${what} ${name} is longer than ${longestName} characters.`);
  const wrong = plain.split(".").find((part) => !label.test(part));
  if (wrong === undefined) return plain;
  throw refused(
    `${what} ${name} is not a name of DNS: its part "${wrong}" must have 1 to 63 letters, digits or hyphens, others written as Punycode (xn--…).`,
  );
}

/** A host in the zone, or all hosts below a name: `*.example.com`. */
export function checkHost(host: string, zone: string): string {
  const name = checkName("The host", host.replace(/^\*\./u, ""));
  if (!isWithin(name, zone)) throw refused(`The host ${host} is not in the zone ${zone}.`);
  if (name.startsWith("_bowline"))
    throw refused(`The host ${host} is a name that Bowline keeps for its marks.`);
  return host.startsWith("*.") ? `*.${name}` : name;
}

export function isWithin(name: string, zone: string): boolean {
  return name === zone || name.endsWith(`.${zone}`);
}

export function refused(message: string): BowlineError {
  return new BowlineError("InvalidArgument", message);
}
