import { isIPv4, isIPv6 } from "node:net";

/** The formats of strings that the server checks; it takes any other word for a comment. */
const formats: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["date", (text: string) => /^\d{4}-\d{2}-\d{2}$/.test(text) && isRealTime(text)],
  ["datetime", (text: string) => dateTime.test(text) && isRealTime(text)],
  ["ipv4", isIPv4],
  ["ipv6", isIPv6],
  ["cidr", isCidr],
  ["mac", (text: string) => /^([0-9a-f]{2}[:-]){5}[0-9a-f]{2}$/i.test(text)],
  [
    "uuid",
    (text: string) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text),
  ],
  ["byte", (text: string) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)],
  ["email", (text: string) => /^[^\s@<>]{1,64}@[^\s@<>]{1,255}$/.test(text)],
  ["hostname", (text: string) => text.length <= 255 && text.split(".").every((part) => hostLabel.test(part))],
  [
    "uri",
    (text: string) => text.startsWith("/") || (/^[a-z][a-z0-9+.-]*:/i.test(text) && URL.canParse(text)),
  ],
  [
    "duration",
    (text: string) => /^[+-]?(\d+(\.\d{0,9})?\s?(ns|us|µs|ms|s|m|h|d|w|[a-z]{3,12})\s?){1,10}$/.test(text),
  ],
  ["hexcolor", (text: string) => /^#?([0-9a-f]{3}|[0-9a-f]{6})$/i.test(text)],
]);

const dateTime = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:?\d{2})$/;
const hostLabel = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i;

/** Whether a text has a format. True for formats nobody knows. */
export function hasFormat(text: string, format: string): boolean {
  return formats.get(format.replaceAll("-", ""))?.(text) ?? true;
}

function isRealTime(text: string): boolean {
  return !Number.isNaN(Date.parse(text));
}

function isCidr(text: string): boolean {
  const [address = "", bits = ""] = text.split("/");
  const limit = isIPv4(address) ? 32 : isIPv6(address) ? 128 : -1;
  return /^\d{1,3}$/.test(bits) && Number(bits) <= limit;
}
