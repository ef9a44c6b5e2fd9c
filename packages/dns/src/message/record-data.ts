import { ipv6Bytes, ipv6Text } from "../model/ip-address.ts";
import { textPieces } from "../model/owner-mark.ts";
import { ByteReader } from "./byte-reader.ts";
import { ByteWriter } from "./byte-writer.ts";

export function addressData(type: "A" | "AAAA", address: string): Buffer {
  return type === "A" ? Buffer.from(address.split(".").map(Number)) : ipv6Bytes(address);
}

export function nameData(name: string): Buffer {
  return new ByteWriter().name(name).finish();
}

export function textData(text: string): Buffer {
  const writer = new ByteWriter();
  for (const piece of textPieces(text)) writer.text(Buffer.from(piece, "latin1"));
  return writer.finish();
}

/** What the data of a record of one of our types says; undefined for data that such a record cannot have. */
export function readAddress(type: "A" | "AAAA", data: Buffer): string | undefined {
  if (type === "A") return data.length === 4 ? data.join(".") : undefined;
  return data.length === 16 ? ipv6Text(data) : undefined;
}

export function readText(data: Buffer): string {
  const reader = new ByteReader(data);
  const pieces: Buffer[] = [];
  while (!reader.isAtEnd) pieces.push(reader.take(reader.byte()));
  return Buffer.concat(pieces).toString("latin1");
}
