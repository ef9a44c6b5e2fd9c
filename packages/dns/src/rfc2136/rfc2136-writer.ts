import { BowlineError, parseAddress, type Clock, type Random } from "@bowline/core";

import { DnsConnection } from "../connection/dns-connection.ts";
import { typeNumbers, typesBesideAddresses } from "../message/codes.ts";
import type { TsigKey } from "../message/tsig.ts";
import { checkHost, checkName, refused } from "../model/host-name.ts";
import { markText } from "../model/owner-mark.ts";
import { areSame, checkSets, describeRecords } from "../model/record-sets.ts";
import type { HostRecords, PutOutcome, RecordSet, WriteBy, ZoneWriter } from "../model/zone-writer.ts";
import { viewHost, type HostView } from "./host-view.ts";
import {
  additions,
  deletions,
  hostIsFree,
  markAddition,
  markDeletion,
  markIsOf,
  nameIsFree,
  takesCname,
} from "./update-records.ts";
import { ZoneServer, type Update } from "./zone-server.ts";

export interface Rfc2136Options {
  /** `host:port`, with port 53 if that is missing: the primary server of the zone. */
  readonly server: string;
  readonly zone: string;
  /** Missing where the server goes by addresses alone. */
  readonly key?: {
    readonly name: string;
    readonly algorithm: TsigKey["algorithm"];
    /** Base64, as `tsig-keygen` writes it. */
    readonly secret: string;
  };
  readonly clock: Clock;
  readonly random: Random;
  /** For one question and its answer; 10 seconds if missing. */
  readonly limitMs?: number;
  /** How long a connection is kept that nobody uses; 10 seconds if missing. */
  readonly idleMs?: number;
}

/** So often somebody else may change the very host while it is written. */
const mostRounds = 4;

/** Nothing is connected before the first call. `InvalidArgument` for a server, zone or key that cannot be one. */
export function openRfc2136(options: Rfc2136Options): ZoneWriter {
  const { server, key, clock, random, limitMs = 10_000, idleMs = 10_000 } = options;
  const address = parseAddress(server) ?? parseAddress(`${server}:53`) ?? parseAddress(`[${server}]:53`);
  if (address === undefined)
    throw refused(`"${server}" is not the address of a DNS server: HOST or HOST:PORT.`);
  const zone = checkName("The zone", options.zone);
  const connection = new DnsConnection({ address, server, clock, limitMs, idleMs });
  const tsig = key === undefined ? undefined : readKey(key);
  return new Rfc2136Writer(
    new ZoneServer({ connection, server, zone, key: tsig, clock, random }),
    connection,
  );
}

function readKey({ name, algorithm, secret }: NonNullable<Rfc2136Options["key"]>): TsigKey {
  const plain = checkName("The key", name);
  const bytes = Buffer.from(secret, "base64");
  if (bytes.length === 0 || bytes.toString("base64") !== secret.trim()) {
    throw refused(`The secret of the key ${plain} is not base64.`);
  }
  if (!/^hmac-sha(?:256|384|512)$/u.test(algorithm)) {
    throw refused(
      `The key ${plain} has the algorithm ${algorithm}; hmac-sha256, hmac-sha384 and hmac-sha512 are known.`,
    );
  }
  return { name: plain, algorithm, secret: bytes };
}

/**
 * Records by DNS UPDATE (RFC 2136). Each change is one message, whose prerequisites say what was seen: the server makes all
 * of it while that is still so, else nothing.
 */
class Rfc2136Writer implements ZoneWriter {
  readonly #server: ZoneServer;
  readonly #connection: DnsConnection;

  constructor(server: ZoneServer, connection: DnsConnection) {
    this.#server = server;
    this.#connection = connection;
  }

  /** An update of nothing needs the right to change the zone, and is answered by its primary server alone. */
  async check(signal: AbortSignal): Promise<void> {
    const { zone } = this.#server;
    const [found] = await this.#server.query(zone, typeNumbers.SOA, signal);
    if (found?.type !== typeNumbers.SOA) throw this.#server.notItsServer(zone);
    await this.#server.update({ prerequisites: [], changes: [] }, signal);
  }

  async look(host: string, signal: AbortSignal): Promise<HostRecords> {
    const { sets, owner } = await viewHost(this.#server, this.#checked(host), signal);
    return { sets, owner };
  }

  async put(host: string, sets: readonly RecordSet[], { owner, signal }: WriteBy): Promise<PutOutcome> {
    const name = this.#checked(host);
    const wanted = this.#checkedSets(name, sets);
    markText(owner);
    for (let round = 1; round <= mostRounds; round += 1) {
      const view = await viewHost(this.#server, name, signal);
      const isOurs = view.owner === owner;
      if (isOurs && areSame(view.sets, wanted)) return { outcome: "kept" };
      if (!isOurs && (view.owner !== undefined || view.sets.length > 0)) {
        return { outcome: "foreign", has: describeRecords(view) };
      }
      const update = isOurs
        ? this.#replacement(name, wanted, owner)
        : this.#creation(name, wanted, { owner, view });
      if (await this.#server.update(update, signal)) return { outcome: "changed" };
      if (hasCname(wanted)) await this.#requireRoomForCname(name, signal);
    }
    throw changesTooOften(name);
  }

  async remove(host: string, { owner, signal }: WriteBy): Promise<"gone" | "foreign"> {
    const name = this.#checked(host);
    const update = {
      prerequisites: markIsOf(name, owner),
      changes: [...deletions(name), markDeletion(name)],
    };
    for (let round = 1; round <= mostRounds; round += 1) {
      if (await this.#server.update(update, signal)) return "gone";
      const view = await viewHost(this.#server, name, signal);
      if (view.owner === undefined && view.sets.length === 0) return "gone";
      if (view.owner !== owner) return "foreign";
    }
    throw changesTooOften(name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connection[Symbol.asyncDispose]();
  }

  #checked(host: string): string {
    return checkHost(host.toLowerCase().replace(/\.$/u, ""), this.#server.zone);
  }

  #checkedSets(host: string, sets: readonly RecordSet[]): RecordSet[] {
    const checked = checkSets(host, this.#server.zone, sets);
    if (
      checked.every(({ variant }) => variant === undefined) &&
      new Set(sets.map(({ type }) => type)).size === sets.length
    ) {
      return checked;
    }
    throw refused(
      `${host} would have several sets of one type, answered by weight or latency; servers of RFC 2136 have no such answers.`,
    );
  }

  #creation(
    host: string,
    sets: readonly RecordSet[],
    { owner, view }: { readonly owner: string; readonly view: HostView },
  ): Update {
    return {
      prerequisites: [...hostIsFree(host, view.texts), ...(hasCname(sets) ? [nameIsFree(host)] : [])],
      changes: [...additions(host, sets), markAddition(host, owner)],
    };
  }

  #replacement(host: string, sets: readonly RecordSet[], owner: string): Update {
    return {
      prerequisites: [...markIsOf(host, owner), ...(hasCname(sets) ? takesCname(host) : [])],
      changes: [...deletions(host), ...additions(host, sets)],
    };
  }

  async #requireRoomForCname(host: string, signal: AbortSignal): Promise<void> {
    // What is answered for a free name is a wildcard's.
    if (await this.#server.update({ prerequisites: [nameIsFree(host)], changes: [] }, signal)) return;
    for (const [type, number] of Object.entries(typesBesideAddresses)) {
      const records = await this.#server.query(host, number, signal);
      if (!records.some((record) => record.type === number)) continue;
      throw refused(
        `${host} has records of type ${type}, beside which a CNAME may not stand; lead it to addresses, or choose another host.`,
      );
    }
  }
}

function hasCname(sets: readonly RecordSet[]): boolean {
  return sets.some(({ type }) => type === "CNAME");
}

function changesTooOften(host: string): BowlineError {
  return new BowlineError("Conflict", `The records of ${host} are changed by somebody else again and again.`);
}
