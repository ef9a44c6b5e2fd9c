import { pageLimits } from "@bowline/api";
import { asRecord, BowlineError, closest } from "@bowline/core";
import type { FastifyRequest } from "fastify";

/** The parameters of an address, each given once; only those that are asked for may be there. */
export type Query<Name extends string> = Readonly<Partial<Record<Name, string>>>;

const maxShownLength = 64;

/** `InvalidArgument` for a parameter that the route does not know, or that is there twice. */
export function readQuery<const Name extends string>(
  { query }: Pick<FastifyRequest, "query">,
  names: readonly Name[],
): Query<Name> {
  const read: Partial<Record<Name, string>> = {};
  for (const [key, value] of Object.entries(asRecord(query))) {
    const name = names.find((candidate) => candidate === key);
    if (name === undefined) throw unknownParameter(key, names);
    if (typeof value !== "string") throw refused(`The parameter ${name} is there more than once.`);
    if (value.includes("\0")) throw refused(`The parameter ${name} has a NUL character in it.`);
    read[name] = value;
  }
  return read;
}

/** `?name`, `?name=1` and `?name=true` switch it on. */
export function flagOf(query: Query<string>, name: string): boolean {
  const value = query[name] ?? "false";
  if (["", "1", "true"].includes(value)) return true;
  if (["0", "false"].includes(value)) return false;
  throw refused(`The parameter ${name} is true or false, not «${value.slice(0, maxShownLength)}».`);
}

export function limitOf({ limit }: Query<"limit">): number | undefined {
  if (limit === undefined) return undefined;
  const value = /^[0-9]{1,6}$/u.test(limit) ? Number(limit) : 0;
  if (value >= 1 && value <= pageLimits.maximum) return value;
  throw refused(`The parameter limit is a number from 1 to ${pageLimits.maximum}.`);
}

/** `where` says what holds it, for a person who has to correct it. */
export function resourceVersionOf(text: string, where: string): string {
  if (/^[0-9]{1,16}$/u.test(text) && Number.isSafeInteger(Number(text))) return text;
  throw refused(`${where} is not a resourceVersion that the server gave out.`);
}

function unknownParameter(key: string, names: readonly string[]): BowlineError {
  const shown = `There is no parameter «${key.slice(0, maxShownLength)}» here`;
  const meant = closest(key, names);
  if (meant !== undefined) return refused(`${shown}; did you mean «${meant}»?`);
  return refused(names.length === 0 ? `${shown}.` : `${shown}; there are ${names.join(", ")}.`);
}

function refused(message: string): BowlineError {
  return new BowlineError("InvalidArgument", message);
}
