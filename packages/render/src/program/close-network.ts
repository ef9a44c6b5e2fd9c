import dgram from "node:dgram";
import dns from "node:dns";
import net from "node:net";

/**
 * Takes the network away, as far as a program can be kept from it from the inside: Node's permission model has nothing
 * for it before version 25. It is a fence for honest programs; where the system allows it, there is no network at all.
 */
export function closeNetwork(): void {
  net.Socket.prototype.connect = refuse;
  net.Server.prototype.listen = refuse;
  dgram.createSocket = refuse;
  dns.lookup = Object.assign(refuse, { __promisify__: refuse });
  Object.assign(dns.promises, { lookup: refuse, resolve: refuse });
}

function refuse(): never {
  throw new Error("a program that makes objects has no network: give what it needs by --set");
}
