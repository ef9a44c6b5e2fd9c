import { isIP } from "node:net";

/** The one form of an address; undefined for what is none. */
export function plainAddress(text: string, family: 4 | 6): string | undefined {
  if (isIP(text) !== family) return undefined;
  if (family === 4) return text;
  // Refuses zones (`fe80::1%eth0`), which mean nothing elsewhere.
  const url = URL.parse(`http://[${text}]`);
  return url?.hostname.slice(1, -1);
}

export function ipv6Bytes(text: string): Buffer {
  const [head = "", tail] = (plainAddress(text, 6) ?? "").split("::");
  const groupsOf = (part = ""): string[] => (part === "" ? [] : part.split(":"));
  const [left, right] = [groupsOf(head), groupsOf(tail)];
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => "0");
  const groups = [...left, ...zeros, ...right].map((group) => group.padStart(4, "0"));
  return Buffer.from(groups.join(""), "hex");
}

export function ipv6Text(bytes: Buffer): string {
  const groups = Array.from({ length: 8 }, (_, at) => bytes.readUInt16BE(2 * at).toString(16));
  return plainAddress(groups.join(":"), 6) ?? "";
}
