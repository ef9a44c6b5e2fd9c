import { WireError, WireReader } from "./wire-reader.ts";

// Messages that are plain values in JSON. What JSON writes as null is undefined here.

/** To the second: the JSON form of a time has no fractions, so the server drops them here too. */
export function timeOf(message: Buffer): string | undefined {
  return message.length === 0 ? undefined : `${instantOf(message).seconds}Z`;
}

export function microTimeOf(message: Buffer): string | undefined {
  if (message.length === 0) return undefined;
  const { seconds, micros } = instantOf(message);
  return `${seconds}.${micros}Z`;
}

function instantOf(message: Buffer): { seconds: string; micros: string } {
  const reader = new WireReader(message);
  let seconds = 0;
  let nanos = 0;
  for (const field of reader.fields()) {
    if (field === 1) seconds = reader.varint();
    else if (field === 2) nanos = reader.varint();
    else reader.skip();
  }
  if (seconds < firstSecond || seconds > lastSecond || nanos < 0 || nanos >= 1e9) {
    throw new WireError(`${seconds} seconds and ${nanos} nanoseconds are no time of the years 1 to 9999`);
  }
  const text = new Date(seconds * 1000).toISOString();
  return { seconds: text.slice(0, "0000-00-00T00:00:00".length), micros: padded(Math.floor(nanos / 1000)) };
}

const firstSecond = Date.parse("0001-01-01T00:00:00Z") / 1000;
const lastSecond = Date.parse("9999-12-31T23:59:59Z") / 1000;

function padded(micros: number): string {
  return String(micros).padStart(6, "0");
}

export function quantityOf(message: Buffer): string {
  const reader = new WireReader(message);
  let text = "";
  for (const field of reader.fields()) {
    if (field === 1) text = reader.text();
    else reader.skip();
  }
  return text === "" ? "0" : text;
}

export function intOrStringOf(message: Buffer): number | string {
  const reader = new WireReader(message);
  let type = 0;
  let number = 0;
  let text = "";
  for (const field of reader.fields()) {
    if (field === 1) type = reader.varint();
    else if (field === 2) number = reader.varint();
    else if (field === 3) text = reader.text();
    else reader.skip();
  }
  if (type !== 0 && type !== 1) throw new WireError(`a value is a number (0) or a string (1), not ${type}`);
  return type === 0 ? number : text;
}

/** JSON inside protobuf, for values of any shape. */
export function rawJsonOf(message: Buffer): unknown {
  const reader = new WireReader(message);
  let text = "";
  for (const field of reader.fields()) {
    if (field === 1) text = reader.text();
    else reader.skip();
  }
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new WireError("a value of any shape does not hold JSON");
  }
}
