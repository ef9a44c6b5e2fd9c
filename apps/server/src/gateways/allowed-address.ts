import { BlockList, isIP } from "node:net";

/** Networks that are nobody's public address (RFC 6890 and its like): the server's own, its neighbours', and those of clouds. */
const notPublic = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  // Of Azure: it answers the machines there, as 169.254.169.254 does.
  "168.63.129.16/32",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3",
];
/** Of IPv6 only global unicast is public; within that, what stands for something else is not. */
const globalUnicast = "2000::/3";
const notPublic6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];

/**
 * Whether the server may connect to an address that a cluster or a DNS record names. Whoever writes a Gateway, or runs a
 * cluster, chooses these: without this they could have the server ask its own network and tell what answers there.
 */
export class AllowedAddresses {
  readonly #refused = listOf(notPublic);
  readonly #public6 = listOf([globalUnicast]);
  readonly #refused6 = listOf(notPublic6);
  readonly #added: BlockList;

  /** `networks` are those that an admin allows as well. */
  constructor(networks: readonly string[]) {
    this.#added = listOf(networks);
  }

  has(address: string): boolean {
    const family = isIP(address);
    if (family === 0) return false;
    const type = family === 6 ? "ipv6" : "ipv4";
    if (this.#added.check(address, type)) return true;
    if (type === "ipv4") return !this.#refused.check(address, type);
    return this.#public6.check(address, type) && !this.#refused6.check(address, type);
  }
}

/** Whether a text is an IP address, with or without the length of a prefix. */
export function isNetwork(text: string): boolean {
  const [address = "", prefix, ...rest] = text.split("/");
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  if (prefix === undefined) return true;
  return /^[0-9]{1,3}$/u.test(prefix) && Number(prefix) <= (family === 6 ? 128 : 32);
}

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", prefix] = network.split("/");
    const type = isIP(address) === 6 ? "ipv6" : "ipv4";
    list.addSubnet(address, Number(prefix ?? (type === "ipv6" ? 128 : 32)), type);
  }
  return list;
}
