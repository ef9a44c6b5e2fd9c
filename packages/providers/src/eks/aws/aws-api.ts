import type { Commands } from "./sdk-commands.ts";

export type OperationName = keyof Commands;
export type OperationInput<Name extends OperationName> = ConstructorParameters<Commands[Name]>[0];
export type OperationOutput<Name extends OperationName> = OutputOf<InstanceType<Commands[Name]>>;

type OutputOf<Command> = Command extends {
  resolveMiddleware(...args: never[]): (...args: never[]) => Promise<{ output: infer Output }>;
}
  ? Output
  : never;

/** A key of AWS, of a user or of a session. It is held in memory and nowhere else. */
export interface AwsKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Where a call goes, and for whom. */
export interface AwsTarget {
  readonly region: string;
  /** Instead of that of AWS: tests have their own. */
  readonly endpoint?: string;
  /** Missing where this machine has an identity of its own. */
  readonly key?: AwsKey;
}

export interface PresignedToken {
  /** What a kubeconfig has as its token; ends by itself after fifteen minutes. */
  readonly token: string;
}

/** The calls of AWS. Nothing is tried twice: a call that makes something is repeated only after it was looked for. */
export interface AwsApi extends AsyncDisposable {
  send<Name extends OperationName>(
    target: AwsTarget,
    name: Name,
    input: OperationInput<Name>,
  ): Promise<OperationOutput<Name>>;
  /** A token for the control plane of a cluster, made of a request that is signed and not sent. */
  token(target: AwsTarget, cluster: string): Promise<PresignedToken>;
}

/** What AWS says of these repeats the request, with the token of its session. */
const ofSignature = /^(SignatureDoesNotMatch|InvalidSignature(Exception)?|IncompleteSignature(Exception)?)$/u;

/** The codes of a key that AWS does not accept, whichever service was asked. */
export const ofCredentials =
  /^(?:ExpiredToken(?:Exception)?|RequestExpired|InvalidClientTokenId|UnrecognizedClientException|SignatureDoesNotMatch|InvalidSignature(?:Exception)?|IncompleteSignature(?:Exception)?|AuthFailure|InvalidAccessKeyId|MissingAuthenticationToken|CredentialsProviderError|OptInRequired)$/u;

/** What AWS answered instead; `code` is its own name for it. */
export class AwsError extends Error {
  readonly code: string;
  readonly status: number | undefined;
  /** The call that failed, as `ec2:CreateVpc`. */
  readonly operation: string;

  constructor(operation: string, { code, message, status }: AwsErrorFacts) {
    // It is told, and logged, by whoever catches it.
    super(ofSignature.test(code) ? "AWS does not accept the signature of the request." : message);
    this.name = "AwsError";
    this.operation = operation;
    this.code = code;
    this.status = status;
  }
}

export interface AwsErrorFacts {
  readonly code: string;
  readonly message: string;
  readonly status?: number | undefined;
}

export function isAwsError(error: unknown, ...codes: readonly string[]): error is AwsError {
  return error instanceof AwsError && codes.includes(error.code);
}
