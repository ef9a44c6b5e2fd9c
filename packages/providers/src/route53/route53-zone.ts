import { BowlineError, type Clock, type TokenBucket } from "@bowline/core";
import { refused } from "@bowline/dns/model";

import {
  isAwsError,
  type OperationInput,
  type OperationName,
  type OperationOutput,
} from "../eks/aws/aws-api.ts";
import type { AwsSession } from "../eks/aws-session.ts";
import { nameOf, type AwsRecordSet } from "./record-set-form.ts";
import { route53Error } from "./route53-error.ts";

export interface Route53ZoneOptions {
  readonly session: AwsSession;
  readonly zone: string;
  readonly zoneId: string | undefined;
  readonly isPrivate: boolean;
  readonly clock: Clock;
  /** So that the account's five calls in a second are not all used here. */
  readonly rate: TokenBucket;
}

/** Route 53 has more zones of one name seldom, and more pages of one host never. */
const mostZones = 100;
const mostSets = 300;

/** The calls of Route 53 for one zone. */
export class Route53Zone {
  readonly #options: Route53ZoneOptions;
  #id: string | undefined;

  constructor(options: Route53ZoneOptions) {
    this.#options = options;
    this.#id = options.zoneId;
  }

  get name(): string {
    return this.#options.zone;
  }

  /** All sets at the name, of whatever type. */
  async setsAt(name: string, signal: AbortSignal): Promise<AwsRecordSet[]> {
    const found: AwsRecordSet[] = [];
    let start: Partial<OperationInput<"route53:ListResourceRecordSets">> = { StartRecordName: name };
    for (;;) {
      const HostedZoneId = await this.#zoneId(signal);
      const page = await this.#send(
        "route53:ListResourceRecordSets",
        { HostedZoneId, MaxItems: mostSets, ...start },
        signal,
      );
      const sets = page.ResourceRecordSets ?? [];
      const here = sets.filter((set) => nameOf(set) === name);
      found.push(...here);
      const { NextRecordName, NextRecordType, NextRecordIdentifier } = page;
      if (page.IsTruncated !== true || here.length < sets.length || NextRecordName === undefined)
        return found;
      start = {
        StartRecordName: NextRecordName,
        ...(NextRecordType === undefined ? {} : { StartRecordType: NextRecordType }),
        ...(NextRecordIdentifier === undefined ? {} : { StartRecordIdentifier: NextRecordIdentifier }),
      };
    }
  }

  /** All of it, or nothing and the reason: something is not as it was seen, or may not be. */
  async replace(
    seen: readonly AwsRecordSet[],
    wanted: readonly AwsRecordSet[],
    signal: AbortSignal,
  ): Promise<BowlineError | undefined> {
    const Changes = [
      ...seen.map((ResourceRecordSet) => ({ Action: "DELETE" as const, ResourceRecordSet })),
      ...wanted.map((ResourceRecordSet) => ({ Action: "CREATE" as const, ResourceRecordSet })),
    ];
    const HostedZoneId = await this.#zoneId(signal);
    try {
      const input = { HostedZoneId, ChangeBatch: { Changes } };
      await this.#call("route53:ChangeResourceRecordSets", input, signal);
      return undefined;
    } catch (error) {
      if (isAwsError(error, "InvalidChangeBatch")) return route53Error(error, this.name);
      throw route53Error(error, this.name);
    }
  }

  async #zoneId(signal: AbortSignal): Promise<string> {
    return (this.#id ??= await this.#findZone(signal));
  }

  async #findZone(signal: AbortSignal): Promise<string> {
    const { zone, isPrivate } = this.#options;
    const input = { DNSName: zone, MaxItems: mostZones };
    const { HostedZones = [] } = await this.#send("route53:ListHostedZonesByName", input, signal);
    const ids = HostedZones.filter(
      ({ Name, Config }) => Name === `${zone}.` && (Config?.PrivateZone ?? false) === isPrivate,
    ).map(({ Id = "" }) => Id.replace("/hostedzone/", ""));
    const [id, ...more] = ids;
    const kind = isPrivate ? "private" : "public";
    if (id === undefined) {
      const message = `The account has no ${kind} hosted zone ${zone} in Route 53; make it, or check the Credential.`;
      throw new BowlineError("NotFound", message, { details: { zone } });
    }
    if (more.length === 0) return id;
    throw refused(
      `The account has several ${kind} hosted zones ${zone}: say which by its id (${ids.join(", ")}).`,
    );
  }

  async #send<Name extends OperationName>(
    name: Name,
    input: OperationInput<Name>,
    signal: AbortSignal,
  ): Promise<OperationOutput<Name>> {
    try {
      return await this.#call(name, input, signal);
    } catch (error) {
      // Made again, it has another id.
      if (isAwsError(error, "NoSuchHostedZone")) this.#id = this.#options.zoneId;
      throw route53Error(error, this.name);
    }
  }

  async #call<Name extends OperationName>(
    name: Name,
    input: OperationInput<Name>,
    signal: AbortSignal,
  ): Promise<OperationOutput<Name>> {
    const { session, clock, rate } = this.#options;
    signal.throwIfAborted();
    const waitMs = rate.reserve(clock.monotonicMs());
    if (waitMs > 0) await clock.sleep(waitMs, signal);
    return session.send(name, input);
  }
}
