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
  /** Everybody may ask, and nobody change anything. */
  isReadOnly = false;
  /** What was changed, in order: `shop.example.com: 60 A 192.0.2.1`, and nothing behind the colon when it went. */
  readonly changes: string[] = [];
  /** How often anything was asked. */
  asked = 0;
  readonly opened: { readonly place: ZonePlace; readonly credential: object | undefined }[] = [];

  readonly open: OpenZone = (place, credential) => {
    this.opened.push({ place, credential });
    return this.#zone(place);
  };

  /** What resolvers are told. */
  records(host: string, zone = "example.com"): string[] {
    return recordTexts(this.#records.get(keyOf(zone, host))?.sets ?? []);
  }

  ownerOf(host: string, zone = "example.com"): string | undefined {
    return this.#records.get(keyOf(zone, host))?.owner;
  }

  /** How many hosts have records. */
  get size(): number {
    return this.#records.size;
  }

  /** Somebody else writes, or takes away. */
  set(host: string, value: string | undefined, zone = "example.com"): void {
    const key = keyOf(zone, host);
    if (value === undefined) this.#records.delete(key);
    else this.#records.set(key, { sets: [{ type: "A", values: [value], ttlSeconds: 60 }], owner: undefined });
  }

  #zone({ zone, server = "" }: ZonePlace): ZoneWriter {
    const look = (host: string): HostRecords => {
      this.asked += 1;
      if (this.isDown || this.missing.has(server))
        throw new BowlineError("ConnectionFailed", "The name server does not answer.");
      return this.#records.get(keyOf(zone, host)) ?? { sets: [], owner: undefined };
    };
    const requireRight = (): void => {
      if (this.isReadOnly) throw new BowlineError("Forbidden", "The name server lets nobody change it.");
    };
    return {
      look: async (host) => look(host),
      put: async (host, sets, { owner }) => {
        const known = look(host);
        if (known.owner !== owner && (known.owner !== undefined || known.sets.length > 0)) {
          return { outcome: "foreign", has: recordTexts(known.sets).join(", ") };
        }
        if (recordTexts(known.sets).join() === recordTexts(sets).join()) return { outcome: "kept" };
        requireRight();
        this.#records.set(keyOf(zone, host), { sets, owner });
        this.changes.push(`${host}: ${recordTexts(sets).join(", ")}`);
        return { outcome: "changed" };
      },
      remove: async (host, { owner }) => {
        requireRight();
        const known = look(host);
        if (known.owner === undefined && known.sets.length === 0) return "gone";
        if (known.owner !== owner) return "foreign";
        this.#records.delete(keyOf(zone, host));
        this.changes.push(`${host}:`);
        return "gone";
      },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  }
}

function keyOf(zone: string, host: string): string {
  return `${zone} ${host}`;
}
