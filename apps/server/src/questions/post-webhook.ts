import { createHmac } from "node:crypto";
import { lookup } from "node:dns";
import { request } from "node:https";
import { BlockList, isIP, type LookupFunction } from "node:net";

import { BowlineError } from "@bowline/core";

export interface WebhookCall {
  readonly url: string;
  /** Signs the body; it is never sent. */
  readonly secret?: string | undefined;
  /** The same for a call that is made again. */
  readonly id: string;
  readonly body: unknown;
  readonly signal: AbortSignal;
}

export interface WebhookOptions {
  /** Certificates that are trusted beside those of the system. */
  readonly ca?: string | undefined;
  /** Whether an address may be called; by default none that is the server's own, or only known on its network. */
  readonly mayCall?: ((address: string) => boolean) | undefined;
}

const timeoutMs = 10_000;

/** Addresses that lead to the server itself, or to what clouds tell their machines there: nobody's webhook is there. */
const refused = new BlockList();
for (const [address, prefix] of [
  ["0.0.0.0", 8],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["224.0.0.0", 3],
] as const) {
  refused.addSubnet(address, prefix, "ipv4");
}
for (const [address, prefix] of [
  ["::", 127],
  ["fe80::", 10],
  ["fd00:ec2::", 32],
  ["ff00::", 8],
] as const) {
  refused.addSubnet(address, prefix, "ipv6");
}

/** @public For the tests of what calls them. */
export function mayCall(address: string): boolean {
  const version = isIP(address);
  // An IPv4 address in the form of IPv6 is looked at as what it is.
  return version !== 0 && !refused.check(address, version === 6 ? "ipv6" : "ipv4");
}

/**
 * Sends JSON to an address of somebody else's choice. Its answer is not read beyond the status, redirects are not
 * followed, and the address is checked when it is connected to, so that no name leads elsewhere in between. Rejects with
 * `ConnectionFailed` unless the answer is 2xx.
 */
export async function postWebhook(call: WebhookCall, options: WebhookOptions = {}): Promise<void> {
  const body = JSON.stringify(call.body);
  const isAllowed = options.mayCall ?? mayCall;
  const status = await new Promise<number>((resolve, reject) => {
    const sent = request(call.url, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        "Content-Length": Buffer.byteLength(body),
        "User-Agent": "bowline",
        "Bowline-Delivery": call.id,
        ...(call.secret === undefined ? {} : { "Bowline-Signature": signature(call.secret, body) }),
      },
      agent: false,
      lookup: checkedLookup(isAllowed),
      signal: AbortSignal.any([call.signal, AbortSignal.timeout(timeoutMs)]),
      ...(options.ca === undefined ? {} : { ca: options.ca }),
    });
    sent.once("response", (response) => {
      // Of the body nothing is wanted.
      response.destroy();
      resolve(response.statusCode ?? 0);
    });
    sent.once("error", reject);
    // A literal address is not looked up.
    const { hostname } = new URL(call.url);
    const literal = hostname.replace(/^\[|\]$/gu, "");
    if (isIP(literal) !== 0 && !isAllowed(literal)) sent.destroy(addressRefused(literal));
    else sent.end(body);
  }).catch((error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    throw new BowlineError("ConnectionFailed", `The webhook could not be reached: ${message}`, {
      cause: error,
    });
  });
  if (status >= 200 && status < 300) return;
  throw new BowlineError("ConnectionFailed", `The webhook has answered with the status ${status}.`);
}

function signature(secret: string, body: string): string {
  return `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
}

function checkedLookup(isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) {
        callback(error, "", 0);
        return;
      }
      const allowed = addresses.filter(({ address }) => isAllowed(address));
      const [first] = allowed;
      if (first === undefined) callback(addressRefused(addresses[0]?.address ?? hostname), "", 0);
      else if (options.all === true) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}

function addressRefused(address: string): BowlineError {
  return new BowlineError(
    "Forbidden",
    `${address} is an address of the server itself or of its network only.`,
  );
}
