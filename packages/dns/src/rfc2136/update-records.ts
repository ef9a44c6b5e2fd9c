import { classNumbers, typeNumbers, typesBesideAddresses } from "../message/codes.ts";
import type { MessageRecord } from "../message/message.ts";
import { addressData, nameData, textData } from "../message/record-data.ts";
import { markName, markText } from "../model/owner-mark.ts";
import type { RecordSet } from "../model/zone-writer.ts";

/** Resolvers have no use for it. */
const markTtlSeconds = 300;
const empty = Buffer.alloc(0);

/** Types of ours: all that is ever written to or removed from a host itself. */
const ownTypes = [typeNumbers.A, typeNumbers.AAAA, typeNumbers.CNAME] as const;

/** Holds where nothing of any type stands at the name; wildcards do not count. */
export function nameIsFree(name: string): MessageRecord {
  return { name, type: typeNumbers.ANY, class: classNumbers.NONE, ttlSeconds: 0, data: empty };
}

function setIsMissing(name: string, type: number): MessageRecord {
  return { name, type, class: classNumbers.NONE, ttlSeconds: 0, data: empty };
}

/** Holds where the records of the type are these and no others. */
function setIs(name: string, type: number, datas: readonly Buffer[]): MessageRecord[] {
  return datas.map((data) => ({ name, type, class: classNumbers.IN, ttlSeconds: 0, data }));
}

function deletion(name: string, type: number): MessageRecord {
  return { name, type, class: classNumbers.ANY, ttlSeconds: 0, data: empty };
}

/** Holds where the mark is that of the owner, and of nobody else. */
export function markIsOf(host: string, owner: string): MessageRecord[] {
  return setIs(markName(host), typeNumbers.TXT, [textData(markText(owner))]);
}

/** Holds where neither one of our types nor a mark stands, and of texts, by name, those that were seen. */
export function hostIsFree(host: string, texts: ReadonlyMap<string, readonly Buffer[]>): MessageRecord[] {
  const { TXT } = typeNumbers;
  const seen = [...texts].flatMap(([name, datas]) =>
    datas.length === 0 ? [setIsMissing(name, TXT)] : setIs(name, TXT, datas),
  );
  return [...ownTypes.map((type) => setIsMissing(host, type)), setIsMissing(markName(host), TXT), ...seen];
}

/** Holds where nothing stands that keeps a CNAME out. */
export function takesCname(host: string): MessageRecord[] {
  return Object.values(typesBesideAddresses).map((type) => setIsMissing(host, type));
}

/** The host without any of our types: whatever is added comes after them. */
export function deletions(host: string): MessageRecord[] {
  return ownTypes.map((type) => deletion(host, type));
}

export function markDeletion(host: string): MessageRecord {
  return deletion(markName(host), typeNumbers.TXT);
}

export function additions(host: string, sets: readonly RecordSet[]): MessageRecord[] {
  return sets.flatMap(({ type, values, ttlSeconds }) =>
    values.map((value) => ({
      name: host,
      type: typeNumbers[type],
      class: classNumbers.IN,
      ttlSeconds,
      data: type === "CNAME" ? nameData(value) : addressData(type, value),
    })),
  );
}

export function markAddition(host: string, owner: string): MessageRecord {
  return {
    name: markName(host),
    type: typeNumbers.TXT,
    class: classNumbers.IN,
    ttlSeconds: markTtlSeconds,
    data: textData(markText(owner)),
  };
}
