import { createHash } from "node:crypto";

import { BowlineError, LruMap, TokenBucket, type Clock, type Random } from "@bowline/core";
import { openRfc2136, type Rfc2136Options, type ZoneWriter } from "@bowline/dns";
import { openRoute53, type AwsApi } from "@bowline/providers";

import type { OpenZone, ZonePlace } from "./write-records.ts";

export interface ZoneTools {
  readonly clock: Clock;
  readonly random: Random;
  /** The calls of AWS, which stay open longer than any zone. */
  readonly aws: AwsApi;
}

type CredentialData = Readonly<Record<string, string>>;

const mostZones = 200;
/** Of five calls in a second that Route 53 takes from an account. */
const awsRate = { perSecond: 4, burst: 4 };

/** The way to the name servers, and to Route 53, that DomainNames name. */
export function zoneOpener({ clock, random, aws }: ZoneTools): OpenZone {
  // Kept from one round to the next: sessions of roles are in them, and the ids of zones that were looked up.
  const hosted = new LruMap<string, ZoneWriter>(mostZones);
  const rates = new LruMap<string, TokenBucket>(mostZones);
  const openHosted = (place: ZonePlace, credential: CredentialData): ZoneWriter => {
    const { zone, hostedZone } = place;
    const who = hashOf(credential);
    const rate = rates.get(who) ?? new TokenBucket(awsRate);
    rates.set(who, rate);
    const key = hashOf([zone, hostedZone, who]);
    const known = hosted.get(key);
    if (known !== undefined) return known;
    const zoneId = hostedZone === undefined ? {} : { zoneId: hostedZone };
    const data = (): Promise<CredentialData> => Promise.resolve(credential);
    const opened = openRoute53({ api: aws, zone, ...zoneId, credential: data, clock, rate });
    hosted.set(key, opened);
    return opened;
  };
  return (place, credential) => {
    const { provider, zone, server } = place;
    if (provider === "route53") return openHosted(place, credential ?? {});
    if (server !== undefined) return openRfc2136({ server, zone, clock, random, ...keyOf(credential) });
    throw new BowlineError("InvalidArgument", "spec.rfc2136.server is required for rfc2136.");
  };
}

/** Another secret is another writer, and no secret is a key of a map. */
function hashOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}

/** The schema of a Credential of type `tsig` makes sure of name, secret and algorithm. */
function keyOf(credential: CredentialData | undefined): Pick<Rfc2136Options, "key"> {
  if (credential === undefined) return {};
  const { name = "", secret = "", algorithm } = credential;
  return { key: { name, secret, algorithm: algorithmOf(algorithm) } };
}

function algorithmOf(name: string | undefined): NonNullable<Rfc2136Options["key"]>["algorithm"] {
  return name === "hmac-sha384" || name === "hmac-sha512" ? name : "hmac-sha256";
}
