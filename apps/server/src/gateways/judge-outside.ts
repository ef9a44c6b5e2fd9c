import { isIP } from "node:net";

import type { GatewaySpec } from "@bowline/api";

import type { AllowedAddresses } from "./allowed-address.ts";
import { found, missing, unknown, type Finding } from "./check.ts";
import { textOf, type ProbeHost, type ProbeTarget } from "./probe-host.ts";

/** Addresses of a name; empty when it has none. Rejects when nobody could be asked. */
export type ResolveHost = (host: string) => Promise<readonly string[]>;

export interface OutsideTools {
  readonly resolve: ResolveHost;
  readonly probe: ProbeHost;
  readonly allowed: AllowedAddresses;
  /** Whether this server asks at all. */
  readonly isOn: boolean;
}

export interface AnswerQuestion {
  readonly spec: GatewaySpec;
  /** Of the entry in this cluster. */
  readonly addresses: readonly string[];
  readonly signal: AbortSignal;
}

export interface OutsideQuestion extends AnswerQuestion {
  /** Of the entries that have the same hosts elsewhere: a record may lead there. Asked for where it does not lead here. */
  readonly elsewhere: () => Promise<readonly string[]>;
}

export interface OutsideFindings {
  readonly record: Finding;
  readonly reachable: Finding;
}

/** What stands for a wildcard: any name that it covers. */
function concreteHost(host: string): string {
  return host.startsWith("*.") ? `bowline-probe.${host.slice(2)}` : host;
}

/** Looks from here, as anybody would: does the name lead to the entry, and does the entry answer for it? */
export async function judgeOutside(tools: OutsideTools, question: OutsideQuestion): Promise<OutsideFindings> {
  const unasked = whyNotAsked(tools, question);
  if (unasked !== undefined) return { record: unasked, reachable: unasked };
  const record = await judgeRecords(tools, question);
  if (record.status !== "True") return { record, reachable: unknown(record.reason, record.message) };
  return { record, reachable: await judgeAnswers(tools, question) };
}

/** The second part alone: whether the entry answers, wherever the name leads. */
export async function judgeEntryAnswers(tools: OutsideTools, question: AnswerQuestion): Promise<Finding> {
  return whyNotAsked(tools, question) ?? (await judgeAnswers(tools, question));
}

function whyNotAsked({ isOn }: OutsideTools, { spec, addresses }: AnswerQuestion): Finding | undefined {
  if (!spec.probe) return unknown("NotProbed", "spec.probe is off.");
  if (!isOn) return unknown("NotProbed", "This server asks no hosts.");
  return addresses.length === 0 ? unknown("NotProgrammed", "The entry has no address yet.") : undefined;
}

async function judgeRecords(tools: OutsideTools, question: OutsideQuestion): Promise<Finding> {
  const own = new Set(await resolved(tools, question.addresses));
  let elsewhere: ReadonlySet<string> | undefined;
  const other: string[] = [];
  for (const host of question.spec.hosts) {
    const seen = await lookedUp(tools, concreteHost(host)).catch(() => undefined);
    const where = question.addresses.join(", ");
    if (seen === undefined) return unknown("RecordPending", `${host} could not be looked up.`);
    if (seen.length === 0) {
      return missing("RecordPending", `There is no DNS record for ${host}; it has to lead to ${where}.`);
    }
    if (seen.some((address) => own.has(address))) continue;
    elsewhere ??= new Set(await resolved(tools, await question.elsewhere()));
    if (!seen.some((address) => elsewhere?.has(address))) {
      const message = `The DNS record of ${host} leads to ${seen.join(", ")}, and not to ${where}.`;
      return missing("RecordForeign", message);
    }
    other.push(host);
  }
  if (other.length === 0) return found("RecordSeen");
  return found("RecordElsewhere", `${other.join(", ")} leads to another cluster.`);
}

/** Whether any of the hosts has a record that leads to one of the addresses; of one that cannot be looked up nobody knows. */
export async function isLedTo(
  tools: OutsideTools,
  { hosts, addresses }: { readonly hosts: readonly string[]; readonly addresses: readonly string[] },
): Promise<boolean> {
  const own = new Set(await resolved(tools, addresses));
  for (const host of hosts) {
    const seen = await lookedUp(tools, concreteHost(host)).catch(() => undefined);
    if (seen === undefined || seen.some((address) => own.has(address))) return true;
  }
  return false;
}

/** In one order: name servers change it with each answer, and what is told of it would be written each time. */
async function lookedUp({ resolve }: OutsideTools, name: string): Promise<readonly string[]> {
  return (await resolve(name)).toSorted();
}

/** Load balancers may have a name instead of an address. */
async function resolved(tools: OutsideTools, addresses: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    addresses.map((address) =>
      isIP(address) === 0 ? lookedUp(tools, address).catch(() => []) : Promise.resolve([address]),
    ),
  );
  return found.flat();
}

/** An entry may have more addresses; some of them tell how it does. */
const mostAsked = 4;
/** Gateways answer by themselves with these while there is nobody behind them. */
const firstFailure = 500;

async function judgeAnswers(
  tools: OutsideTools,
  { spec, addresses, signal }: AnswerQuestion,
): Promise<Finding> {
  const all = await resolved(tools, addresses);
  if (all.length === 0) {
    return unknown("RecordPending", `${addresses.join(", ")} could not be looked up, or has no address.`);
  }
  const asked = all.filter((each) => tools.allowed.has(each)).slice(0, mostAsked);
  if (asked.length === 0) {
    const message = `${all.join(", ")} is no public address, and not among the networks that this server may ask.`;
    return unknown("AddressNotAllowed", message);
  }
  const isSecure = spec.tls.mode !== "none";
  const port = isSecure ? 443 : 80;
  const path = spec.rules[0]?.path ?? "/";
  let distrusted = "";
  for (const host of spec.hosts.map((each) => concreteHost(each))) {
    const answers = asked.map((address) => askOne(tools, { host, address, port, path, isSecure }, signal));
    // Whoever comes asks the next address when one does not answer. So one is enough, and no other is waited for.
    const first = await Promise.any(answers).catch(() => undefined);
    signal.throwIfAborted();
    if (first === undefined) {
      const [failure] = await Promise.allSettled(answers);
      const why = failure?.status === "rejected" ? textOf(failure.reason) : "";
      return missing("NotReachable", why);
    }
    const { distrust } = first;
    if (distrust !== undefined) distrusted = ` Its certificate is not trusted by this server: ${distrust}.`;
  }
  const where = `${asked.length === 1 ? "" : "one of "}${asked.join(", ")}`;
  return found("Reachable", `It answers from outside, at ${where}.${distrusted}`);
}

/** Rejects, in a sentence, where nobody answers for the host. */
async function askOne(
  { probe }: OutsideTools,
  target: ProbeTarget,
  signal: AbortSignal,
): Promise<Awaited<ReturnType<ProbeHost>>> {
  const { host, address, path, isSecure } = target;
  const what = `${isSecure ? "https" : "http"}://${host}${path} at ${address}`;
  const answer = await probe(target, signal).catch((error: unknown) => {
    throw new Error(`${what} does not answer: ${textOf(error)}`, { cause: error });
  });
  if (answer.status < firstFailure) return answer;
  throw new Error(`${what} has answered with the status ${answer.status}.`);
}
