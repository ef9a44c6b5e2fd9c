import { typeNumbers } from "../message/codes.ts";
import { readAddress, readText } from "../message/record-data.ts";
import { externalMarkNames, markName, ownerOf, ownersIn } from "../model/owner-mark.ts";
import type { HostRecords, RecordSet } from "../model/zone-writer.ts";
import { nameIsFree } from "./update-records.ts";
import type { ZoneServer } from "./zone-server.ts";

/** What stands at a host, with what makes an update fail once that has changed. */
export interface HostView extends HostRecords {
  /** The data of the texts at the host itself, and where external-dns would have its marks; none where ours is there. */
  readonly texts: ReadonlyMap<string, readonly Buffer[]>;
}

/** Asks for what is at the host and beside it, one question for each type and name. */
export async function viewHost(server: ZoneServer, host: string, signal: AbortSignal): Promise<HostView> {
  const view = new HostQuestions(server, signal);
  const owner = await view.ownerByMark(host);
  // A mark below the host keeps wildcards away from it (RFC 4592).
  if (owner !== undefined) return { sets: await view.sets(host), texts: new Map(), owner };
  const isThere = await view.isInUse(host);
  const sets = isThere ? await view.sets(host) : [];
  const texts = new Map([[host, isThere ? await view.texts(host) : []]]);
  for (const name of externalMarkNames(host, server.zone)) texts.set(name, await view.ownTexts(name));
  const owners = [...texts.values()].flat().flatMap((data) => ownerOf(readText(data)) ?? []);
  return { sets, texts, owner: owners[0] };
}

class HostQuestions {
  readonly #server: ZoneServer;
  readonly #signal: AbortSignal;

  constructor(server: ZoneServer, signal: AbortSignal) {
    this.#server = server;
    this.#signal = signal;
  }

  /** Only a prerequisite tells what is there from what a wildcard above answers in its place. */
  async isInUse(name: string): Promise<boolean> {
    return !(await this.#server.update({ prerequisites: [nameIsFree(name)], changes: [] }, this.#signal));
  }

  async sets(host: string): Promise<RecordSet[]> {
    const found: RecordSet[] = [];
    for (const type of ["A", "AAAA"] as const) {
      const records = await this.#server.query(host, typeNumbers[type], this.#signal);
      const cname = records.find((record) => record.type === typeNumbers.CNAME);
      if (cname !== undefined) {
        return [{ type: "CNAME", values: [cname.target ?? ""], ttlSeconds: cname.ttlSeconds }];
      }
      const [first] = records;
      const values = records.flatMap(({ data }) => readAddress(type, data) ?? []).toSorted();
      if (first !== undefined) found.push({ type, values, ttlSeconds: first.ttlSeconds });
    }
    return found;
  }

  async texts(name: string): Promise<Buffer[]> {
    const records = await this.#server.query(name, typeNumbers.TXT, this.#signal);
    return records.filter(({ type }) => type === typeNumbers.TXT).map(({ data }) => data);
  }

  /** A text that is none of ours may be one of a wildcard. */
  async ownerByMark(host: string): Promise<string | undefined> {
    const texts = (await this.texts(markName(host))).map(readText);
    const owner = ownersIn(texts);
    if (owner === undefined || (texts.length === 1 && texts[0] === `heritage=bowline,owner=${owner}`))
      return owner;
    return (await this.isInUse(markName(host))) ? owner : undefined;
  }

  /** Without those of a wildcard. */
  async ownTexts(name: string): Promise<Buffer[]> {
    const texts = await this.texts(name);
    return texts.length > 0 && (await this.isInUse(name)) ? texts : [];
  }
}
