import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";

import type { Clock } from "@bowline/core";

import { AwsFailure } from "./aws-failure.ts";
import { serve, type ServiceParts } from "./aws-service.ts";
import type { PolicyDocument } from "./auth/policy.ts";
import { Principals, type AccessKey } from "./auth/principals.ts";
import { readSignature, type SignedRequest } from "./auth/signature.ts";
import { AwsFaults } from "./faults.ts";
import { errorAnswer, send } from "./http/answers.ts";
import type { AssumableRole } from "./iam/sts-actions.ts";
import { keyOf } from "./route53/record-sets.ts";
import { AwsWorld } from "./world/aws-world.ts";

export interface FakeAwsOptions {
  readonly clock: Clock;
  readonly region?: string;
  readonly accountId?: string;
}

/** A part of AWS on loopback, spoken to with the real SDK by its option `endpoint`. */
export class FakeAws implements AsyncDisposable {
  readonly world: AwsWorld;
  readonly faults = new AwsFaults();
  readonly principals: Principals;
  /** By ARN. */
  readonly assumableRoles = new Map<string, AssumableRole>();
  /** Every call that was understood, as `ec2:CreateVpc`. */
  readonly calls: string[] = [];
  /** How far the clock of AWS is ahead of this machine's. */
  skewMs = 0;
  readonly #server: Server;

  private constructor({ clock, region = "eu-west-1", accountId = "111122223333" }: FakeAwsOptions) {
    this.world = new AwsWorld(clock, region, accountId);
    this.principals = new Principals(clock);
    this.#server = createServer((request, response) => {
      void this.#answer(request, response).catch((error: unknown) =>
        response.destroy(error instanceof Error ? error : undefined),
      );
    });
  }

  static async start(options: FakeAwsOptions): Promise<FakeAws> {
    const aws = new FakeAws(options);
    aws.#server.listen(0, "127.0.0.1");
    await once(aws.#server, "listening");
    return aws;
  }

  get url(): string {
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? `http://127.0.0.1:${address.port}` : "";
  }

  /** The key of a user, who may do what the documents say, or anything without them. */
  addUser(name: string, policies?: readonly PolicyDocument[], own?: AccessKey): AccessKey {
    const arn = this.world.arn("iam", `user/${name}`);
    const principal = { arn, userId: `AIDA${name}`, ...(policies === undefined ? {} : { policies }) };
    return this.principals.addKey(principal, Infinity, own);
  }

  /** A policy that roles can be bounded by; returns its ARN. */
  addPolicy(name: string): string {
    const arn = this.world.arn("iam", `policy/${name}`);
    this.world.policies.add({ ...this.world.thing(arn, arn), name });
    return arn;
  }

  /** A role of the account that others may become; returns its ARN. */
  addAssumableRole(name: string, role: AssumableRole): string {
    const arn = this.world.arn("iam", `role/${name}`);
    this.assumableRoles.set(arn, role);
    return arn;
  }

  /** A zone of Route 53 as it is when it was made; returns its id. */
  addHostedZone(name: string, { isPrivate = false }: { readonly isPrivate?: boolean } = {}): string {
    const id = this.world.newId("Z").replace("-", "").toUpperCase();
    const zone = `${name}.`;
    const sets = [
      { name: zone, type: "NS", ttl: 172_800, values: ["ns-1.awsdns-01.org.", "ns-2.awsdns-02.com."] },
      {
        name: zone,
        type: "SOA",
        ttl: 900,
        values: ["ns-1.awsdns-01.org. awsdns-hostmaster.amazon.com. 1 7200 900 1209600 86400"],
      },
    ];
    const records = new Map(sets.map((set) => [keyOf(set), set]));
    const arn = `arn:aws:route53:::hostedzone/${id}`;
    this.world.hostedZones.add({ ...this.world.thing(id, arn), name: zone, isPrivate, records });
    return id;
  }

  /** Who made such a presigned request of `GetCallerIdentity`: what a control plane asks of STS for each token. */
  identify(url: URL, headers: Readonly<Record<string, string>>): string {
    const request = {
      method: "GET",
      path: url.pathname,
      query: url.searchParams,
      headers: { ...headers, host: url.host },
      body: Buffer.alloc(0),
    };
    return this.principals.identify(readSignature(request), this.#now()).arn;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  #now(): number {
    return Date.now() + this.skewMs;
  }

  async #answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(incoming.url ?? "/", this.url);
    const request: SignedRequest = {
      method: incoming.method ?? "GET",
      path: url.pathname,
      query: url.searchParams,
      headers: incoming.headers,
      body: await buffer(incoming),
    };
    response.setHeader("date", new Date(this.#now()).toUTCString());
    try {
      const answer = serve(request, this.#parts());
      if (answer === undefined) incoming.socket.destroy();
      else send(response, answer);
    } catch (error) {
      if (!(error instanceof AwsFailure)) throw error;
      send(response, errorAnswer(readSignature(request)?.service ?? "", error));
    }
  }

  #parts(): ServiceParts {
    return {
      world: this.world,
      principals: this.principals,
      faults: this.faults,
      assumableRoles: this.assumableRoles,
      onCall: (action) => this.calls.push(action),
      serverTimeMs: () => this.#now(),
    };
  }
}
