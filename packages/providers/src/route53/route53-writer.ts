import { BowlineError, TokenBucket, type Clock } from "@bowline/core";
import type { HostRecords, PutOutcome, RecordSet, WriteBy, ZoneWriter } from "@bowline/dns";
import {
  areSame,
  checkHost,
  checkName,
  checkSets,
  describeRecords,
  externalMarkNames,
  markName,
  markText,
  ownerOf,
  ownersIn,
  refused,
} from "@bowline/dns/model";

import type { AwsApi } from "../eks/aws/aws-api.ts";
import { AwsSessions } from "../eks/aws-session.ts";
import {
  checkVariants,
  fromAws,
  isAddressSet,
  textsOf,
  textToAws,
  toAws,
  type AwsRecordSet,
} from "./record-set-form.ts";
import { Route53Zone } from "./route53-zone.ts";

export interface Route53Options {
  readonly api: AwsApi;
  readonly zone: string;
  /** Needed where the account has several zones of the name. */
  readonly zoneId?: string;
  /** Of a VPC; a zone for everybody if missing. */
  readonly isPrivate?: boolean;
  /** The data of the Credential, as the provider eks takes it; empty where this machine has an identity of its own. */
  readonly credential: () => Promise<Readonly<Record<string, string>>>;
  readonly clock: Clock;
  /** Instead of that of AWS: tests have their own. */
  readonly endpoint?: string;
  /** Calls in a second, to be shared by all writers of an account; 4 for this one alone if missing. */
  readonly rate?: TokenBucket;
}

/** Resolvers have no use for it. */
const markTtlSeconds = 300;
/** Route 53 is everywhere; this is where its requests are signed for. */
const region = "us-east-1";
const mostRounds = 3;

/** Nothing is asked before the first call. `InvalidArgument` for a zone that cannot be one. */
export function openRoute53(options: Route53Options): ZoneWriter {
  const { api, zoneId, isPrivate = false, credential, clock, endpoint } = options;
  const zone = checkName("The zone", options.zone);
  const use = { region, id: zone, name: `bowline-${zone}`, credential, clock };
  const session = new AwsSessions(api, endpoint).openFor(use);
  const rate = options.rate ?? new TokenBucket({ perSecond: 4, burst: 4 });
  return new Route53Writer(new Route53Zone({ session, zone, zoneId, isPrivate, clock, rate }));
}

/** What stands at a host, as Route 53 told it: what is to be replaced is deleted in those very words. */
interface HostView extends HostRecords {
  readonly addresses: readonly AwsRecordSet[];
  readonly marks: readonly AwsRecordSet[];
  /** Types that stay. */
  readonly otherTypes: readonly string[];
}

/**
 * Records in Route 53. A change is one batch that deletes what was seen, mark included, and creates what is wanted: it
 * fails as a whole once any of that is not so any more.
 */
class Route53Writer implements ZoneWriter {
  readonly #zone: Route53Zone;

  constructor(zone: Route53Zone) {
    this.#zone = zone;
  }

  /** Asks for nothing that records are not asked for with: whether they may be changed is only told by a change. */
  async check(signal: AbortSignal): Promise<void> {
    const { name } = this.#zone;
    const found = await this.#zone.setsAt(name, signal);
    if (found.some(({ Type }) => Type === "SOA")) return;
    const message = `The hosted zone in Route 53 is not that of ${name}; check its id.`;
    throw new BowlineError("NotFound", message, { details: { zone: name } });
  }

  async look(host: string, signal: AbortSignal): Promise<HostRecords> {
    const { sets, owner } = await this.#view(this.#checked(host), signal);
    return { sets, owner };
  }

  async put(host: string, sets: readonly RecordSet[], { owner, signal }: WriteBy): Promise<PutOutcome> {
    const name = this.#checked(host);
    const wanted = checkSets(name, this.#zone.name, sets);
    checkVariants(name, wanted);
    const mark = textToAws(markName(name), markText(owner), markTtlSeconds);
    let failure: BowlineError | undefined;
    let before = "";
    for (let round = 1; round <= mostRounds; round += 1) {
      const view = await this.#view(name, signal);
      const isOurs = view.owner === owner;
      if (isOurs && areSame(view.sets, wanted)) return { outcome: "kept" };
      if (!isOurs && (view.owner !== undefined || view.sets.length > 0)) {
        return { outcome: "foreign", has: describeRecords(view) };
      }
      requireRoom(name, wanted, view);
      // Nothing has changed: it is not for that that Route 53 refuses.
      if (failure !== undefined && before === JSON.stringify(view)) throw failure;
      before = JSON.stringify(view);
      const created = [...wanted.map((set) => toAws(name, set)), mark];
      failure = await this.#zone.replace([...view.addresses, ...view.marks], created, signal);
      if (failure === undefined) return { outcome: "changed" };
    }
    throw changesTooOften(name, failure);
  }

  async remove(host: string, { owner, signal }: WriteBy): Promise<"gone" | "foreign"> {
    const name = this.#checked(host);
    let failure: BowlineError | undefined;
    let before = "";
    for (let round = 1; round <= mostRounds; round += 1) {
      const view = await this.#view(name, signal);
      if (view.owner === undefined && view.sets.length === 0) return "gone";
      if (view.owner !== owner) return "foreign";
      if (failure !== undefined && before === JSON.stringify(view)) throw failure;
      before = JSON.stringify(view);
      failure = await this.#zone.replace([...view.addresses, ...view.marks], [], signal);
      if (failure === undefined) return "gone";
    }
    throw changesTooOften(name, failure);
  }

  /** The process for AWS belongs to whoever made it. */
  async [Symbol.asyncDispose](): Promise<void> {}

  #checked(host: string): string {
    return checkHost(host.toLowerCase().replace(/\.$/u, ""), this.#zone.name);
  }

  async #view(host: string, signal: AbortSignal): Promise<HostView> {
    const marks = (await this.#zone.setsAt(markName(host), signal)).filter(({ Type }) => Type === "TXT");
    const here = await this.#zone.setsAt(host, signal);
    const addresses = here.filter(isAddressSet);
    const otherTypes = here.flatMap((set) => (isAddressSet(set) ? [] : (set.Type ?? [])));
    const owner =
      ownersIn(textsOf(marks)) ??
      textsOf(here)
        .map(ownerOf)
        .find((each) => each !== undefined) ??
      (await this.#externalOwner(host, signal));
    return { sets: addresses.map(fromAws), owner, addresses, marks, otherTypes };
  }

  async #externalOwner(host: string, signal: AbortSignal): Promise<string | undefined> {
    for (const name of externalMarkNames(host, this.#zone.name)) {
      const [owner] = textsOf(await this.#zone.setsAt(name, signal)).flatMap((text) => ownerOf(text) ?? []);
      if (owner !== undefined) return owner;
    }
    return undefined;
  }
}

function requireRoom(host: string, wanted: readonly RecordSet[], { otherTypes }: HostView): void {
  const [other] = otherTypes;
  if (other === undefined || !wanted.some(({ type }) => type === "CNAME")) return;
  throw refused(
    `${host} has records of type ${other}, beside which a CNAME may not stand; lead it to addresses, or choose another host.`,
  );
}

function changesTooOften(host: string, cause: unknown): BowlineError {
  const message = `The records of ${host} are changed by somebody else again and again.`;
  return new BowlineError("Conflict", message, { cause });
}
