/** One customer of a provider has at least this much of IPv6, and could come from any address in it. */
const networkGroups = 4;

/** What counts as one client: an IPv4 address, or a /64 network of IPv6. */
export function addressKey(address: string): string {
  const mapped = /^::ffff:(?<v4>\d+\.\d+\.\d+\.\d+)$/iu.exec(address)?.groups?.["v4"];
  if (mapped !== undefined || !address.includes(":")) return mapped ?? address;
  const [head = "", tail] = address.replace(/%.*$/u, "").split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => "0");
  const groups = tail === undefined ? before : [...before, ...zeros, ...after];
  return `${groups.slice(0, networkGroups).join(":")}::/64`;
}
