import { BowlineError } from "@bowline/core";

import { recordTexts } from "../record-sets.ts";
import type { OpenZone, ZonePlace } from "../write-records.ts";
import type { HostRecords, ZoneWriter } from "@bowline/dns";

/** A name server without a network: zones by name, whoever writes them. */
export class MemoryDns {
  readonly #records = new Map<string, HostRecords>();
  /** Nobody answers. */
  isDown = false;
  /** Servers that there are not. */
  readonly missing = new Set<string>();
  /** Servers that have zones of their own: all others are names of one. */
  readonly apart = new Set<string>();
  /** Everybody may ask, and nobody change anything. */
  isReadOnly = false;
  /** What was changed, in order: `shop.example.com: 60 A 192.0.2.1`, and nothing behind the colon when it went. */
  readonly changes: string[] = [];
  /** Called after each change. */
  onChange: () => void = () => undefined;
  /** How often anything was asked. */
  asked = 0;
  readonly opened: { readonly place: ZonePlace; readonly credential: object | undefined }[] = [];

  readonly open: OpenZone = (place, credential) => {
    this.opened.push({ place, credential });
    return this.#zone(place);
  };

  /** What resolvers are told. */
  records(host: string, zone = "example.com", server?: string): string[] {
    return recordTexts(this.#records.get(keyOf(zone, host, server))?.sets ?? []);
  }

  ownerOf(host: string, zone = "example.com"): string | undefined {
    return this.#records.get(keyOf(zone, host))?.owner;
  }

  /** How many hosts have records. */
  get size(): number {
    return this.#records.size;
  }

  /** Somebody else writes, or takes away. */
  set(host: string, value: string | undefined, zone = "example.com", server?: string): void {
    const key = keyOf(zone, host, server);
    if (value === undefined) this.#records.delete(key);
    else this.#records.set(key, { sets: [{ type: "A", values: [value], ttlSeconds: 60 }], owner: undefined });
  }

  #zone({ zone: name, server = "" }: ZonePlace): ZoneWriter {
    const keyIn = (host: string): string =>
      this.apart.has(server) ? keyOf(name, host, server) : keyOf(name, host);
    const change = (text: string): void => {
      this.changes.push(text);
      this.onChange();
    };
    const look = (host: string): HostRecords => {
      this.asked += 1;
      if (this.isDown || this.missing.has(server))
        throw new BowlineError("ConnectionFailed", "The name server does not answer.");
      return this.#records.get(keyIn(host)) ?? { sets: [], owner: undefined };
    };
    const requireRight = (): void => {
      if (this.isReadOnly) throw new BowlineError("Forbidden", "The name server lets nobody change it.");
    };
    return {
      check: async () => {
        look("");
        requireRight();
      },
      look: async (host) => look(host),
      put: async (host, sets, { owner }) => {
        const known = look(host);
        if (known.owner !== owner && (known.owner !== undefined || known.sets.length > 0)) {
          return { outcome: "foreign", has: recordTexts(known.sets).join(", ") };
        }
        if (recordTexts(known.sets).join() === recordTexts(sets).join()) return { outcome: "kept" };
        requireRight();
        this.#records.set(keyIn(host), { sets, owner });
        change(`${host}: ${recordTexts(sets).join(", ")}`);
        return { outcome: "changed" };
      },
      remove: async (host, { owner }) => {
        requireRight();
        const known = look(host);
        if (known.owner === undefined && known.sets.length === 0) return "gone";
        if (known.owner !== owner) return "foreign";
        this.#records.delete(keyIn(host));
        change(`${host}:`);
        return "gone";
      },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  }
}

function keyOf(zone: string, host: string, server = ""): string {
  return `${server} ${zone} ${host}`;
}
