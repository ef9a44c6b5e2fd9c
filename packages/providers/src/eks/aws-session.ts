import { createHash } from "node:crypto";

import { BowlineError, LruMap, type Clock } from "@bowline/core";

import type { ProviderWork } from "../provider.ts";
import type {
  AwsApi,
  AwsKey,
  AwsTarget,
  OperationInput,
  OperationName,
  OperationOutput,
} from "./aws/aws-api.ts";
import { isAwsError } from "./aws/aws-api.ts";
import { awsNameOf } from "./names.ts";

/** Calls in one region, as whoever a Credential stands for. */
export interface AwsSession {
  readonly region: string;
  send<Name extends OperationName>(name: Name, input: OperationInput<Name>): Promise<OperationOutput<Name>>;
  token(cluster: string): Promise<string>;
}

type SessionWork = Pick<ProviderWork, "cluster" | "credential" | "clock">;

/** For what calls are made. */
export interface SessionUse {
  readonly region: string;
  /** Different for whatever has a session of its own. */
  readonly id: string;
  /** What CloudTrail shows of it, in at most 64 letters. */
  readonly name: string;
  /** The data of the Credential; empty where this machine has an identity of its own. */
  readonly credential: () => Promise<Readonly<Record<string, string>>>;
  readonly clock: Clock;
}

interface HeldSession {
  readonly key: AwsKey;
  readonly endsAtMs: number;
}

const sessionSeconds = 3_600;
/** A session that ends sooner is not used any more. */
const leastLeftMs = 5 * 60_000;
const mostSessions = 200;
const endedCodes = ["ExpiredToken", "ExpiredTokenException", "RequestExpired"];

/** Sessions of roles, in memory only; one for each use, so that CloudTrail tells them apart. */
export class AwsSessions {
  readonly #api: AwsApi;
  readonly #endpoint: string | undefined;
  readonly #held = new LruMap<string, HeldSession>(mostSessions);

  constructor(api: AwsApi, endpoint?: string) {
    this.#api = api;
    this.#endpoint = endpoint;
  }

  open({ cluster, credential, clock }: SessionWork): AwsSession {
    const { region, eks } = cluster.spec;
    if (region === undefined) throw new BowlineError("InvalidArgument", "spec.region is required for eks.");
    const name = eks?.credential;
    return this.openFor({
      region,
      id: cluster.id,
      name: awsNameOf(cluster),
      credential: async () => (name === undefined ? {} : await credential(name)),
      clock,
    });
  }

  openFor(use: SessionUse): AwsSession {
    return {
      region: use.region,
      send: async (name, input) => {
        const { target, id } = await this.#target(use);
        try {
          return await this.#api.send(target, name, input);
        } catch (error) {
          if (isAwsError(error, ...endedCodes)) this.#held.delete(id);
          throw error;
        }
      },
      token: async (cluster) => {
        const { target } = await this.#target(use);
        return (await this.#api.token(target, cluster)).token;
      },
    };
  }

  async #target(use: SessionUse): Promise<{ readonly target: AwsTarget; readonly id: string }> {
    const { region } = use;
    const base = { region, ...(this.#endpoint === undefined ? {} : { endpoint: this.#endpoint }) };
    const data = await use.credential();
    const own = keyOf(data);
    const target: AwsTarget = own === undefined ? base : { ...base, key: own };
    const { roleArn } = data;
    if (roleArn === undefined) return { target, id: "" };
    const id = createHash("sha256")
      .update(JSON.stringify([use.id, region, data]))
      .digest("hex");
    const held = this.#held.get(id);
    const key =
      held !== undefined && held.endsAtMs - use.clock.now() > leastLeftMs
        ? held.key
        : await this.#assume(use, target, { ...data, roleArn }, id);
    return { target: { ...base, key }, id };
  }

  async #assume(
    use: SessionUse,
    target: AwsTarget,
    data: Readonly<Record<string, string>> & { readonly roleArn: string },
    id: string,
  ): Promise<AwsKey> {
    const askedAtMs = use.clock.now();
    const { Credentials } = await this.#api.send(target, "sts:AssumeRole", {
      RoleArn: data.roleArn,
      RoleSessionName: use.name.slice(0, 64),
      DurationSeconds: sessionSeconds,
      ...(data["externalId"] === undefined ? {} : { ExternalId: data["externalId"] }),
      ...(data["sessionTags"] === undefined ? {} : { Tags: sessionTagsOf(data["sessionTags"]) }),
    });
    const { AccessKeyId, SecretAccessKey, SessionToken } = Credentials ?? {};
    if (AccessKeyId === undefined || SecretAccessKey === undefined || SessionToken === undefined) {
      throw new BowlineError("ResponseInvalid", "AWS answered AssumeRole without a key.");
    }
    const key = { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken };
    this.#held.set(id, { key, endsAtMs: askedAtMs + sessionSeconds * 1000 });
    return key;
  }
}

/** Missing where the machine has an identity of its own. */
function keyOf(data: Readonly<Record<string, string>>): AwsKey | undefined {
  const { accessKeyId, secretAccessKey, sessionToken } = data;
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
}

/** `team=platform,cost=42`, as the Credential has them. */
function sessionTagsOf(text: string): { readonly Key: string; readonly Value: string }[] {
  return text.split(",").map((pair) => {
    const [key = "", ...value] = pair.split("=");
    return { Key: key.trim(), Value: value.join("=").trim() };
  });
}
