import { EC2Client } from "@aws-sdk/client-ec2";
import { EKSClient } from "@aws-sdk/client-eks";
import { IAMClient } from "@aws-sdk/client-iam";
import { Route53Client } from "@aws-sdk/client-route-53";
import { STSClient } from "@aws-sdk/client-sts";
import { isRecord, LruMap } from "@bowline/core";

import {
  AwsError,
  type AwsApi,
  type AwsErrorFacts,
  type AwsTarget,
  type OperationInput,
  type OperationName,
  type OperationOutput,
  type PresignedToken,
} from "./aws-api.ts";
import { presignedToken } from "./presigned-token.ts";
import { commands } from "./sdk-commands.ts";

/** Longer no single call may take: whoever asks is called again. */
const callLimitMs = 20_000;
/** Keys change with each session; clients of old ones are closed. */
const maxClients = 16;

const makers = {
  ec2: (options: ClientOptions) => new EC2Client(options),
  eks: (options: ClientOptions) => new EKSClient(options),
  iam: (options: ClientOptions) => new IAMClient(options),
  route53: (options: ClientOptions) => new Route53Client(options),
  sts: (options: ClientOptions) => new STSClient(options),
};

type Service = keyof typeof makers;
type MadeClient = ReturnType<(typeof makers)[Service]>;

/** What is the same of all: each takes commands of its own service only. */
interface Client {
  send(command: never, options: { readonly abortSignal: AbortSignal }): Promise<unknown>;
  destroy(): void;
  readonly config: Pick<MadeClient["config"], "credentials" | "systemClockOffset">;
}
type ClientOptions = ReturnType<typeof optionsOf>;

/** The SDK in this very process, which takes memory for good: see `aws-process.ts`. */
export class SdkApi implements AwsApi {
  readonly #clients = new LruMap<string, Client>(maxClients, (client) => client.destroy());

  async send<Name extends OperationName>(
    target: AwsTarget,
    name: Name,
    input: OperationInput<Name>,
  ): Promise<OperationOutput<Name>> {
    const [service] = name.split(":");
    const client = this.#client(target, service as Service);
    // TypeScript cannot follow a name through the table to its command; the types of this method tie them together.
    const Command = commands[name] as unknown as new (input: OperationInput<Name>) => never;
    try {
      const abortSignal = AbortSignal.timeout(callLimitMs);
      return (await client.send(new Command(input), { abortSignal })) as OperationOutput<Name>;
    } catch (error) {
      throw new AwsError(name, factsOf(error));
    }
  }

  async token(target: AwsTarget, cluster: string): Promise<PresignedToken> {
    const { config } = this.#client(target, "sts");
    const key = target.key ?? (await config.credentials().catch(fail));
    const nowMs = Date.now() + config.systemClockOffset;
    const endpoint = target.endpoint ?? `https://sts.${target.region}.${domainOf(target.region)}`;
    return { token: presignedToken({ region: target.region, endpoint, key, cluster, nowMs }) };
  }

  [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#clients.values()) client.destroy();
    this.#clients.clear();
    return Promise.resolve();
  }

  #client(target: AwsTarget, service: Service): Client {
    // All of the key: a secret that was wrong and is corrected belongs to the same id.
    const id = JSON.stringify([service, target.region, target.endpoint, target.key]);
    const known = this.#clients.get(id);
    if (known !== undefined) return known;
    const client = makers[service](optionsOf(target));
    this.#clients.set(id, client);
    return client;
  }
}

function optionsOf({ region, endpoint, key }: AwsTarget): {
  readonly region: string;
  readonly endpoint?: string;
  readonly maxAttempts: number;
  readonly credentials?: NonNullable<AwsTarget["key"]>;
} {
  return {
    region,
    // A second attempt after a lost answer would make a second VPC.
    maxAttempts: 1,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(key === undefined ? {} : { credentials: key }),
  };
}

function domainOf(region: string): string {
  return region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
}

/** Nobody is asked for a token: it fails where this machine is nobody. */
function fail(error: unknown): never {
  throw new AwsError("sts:GetCallerIdentity", factsOf(error));
}

/** Requests and answers of the SDK's errors stay here: they carry headers. */
function factsOf(error: unknown): AwsErrorFacts {
  if (!(error instanceof Error)) return { code: "Unknown", message: String(error) };
  const metadata = "$metadata" in error ? error.$metadata : undefined;
  const status = isRecord(metadata) ? metadata["httpStatusCode"] : undefined;
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  return { code, message: error.message, ...(typeof status === "number" ? { status } : {}) };
}
