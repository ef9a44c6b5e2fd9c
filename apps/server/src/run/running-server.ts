import type { RunningProgram } from "@bowline/program";

/** The facts about a server that answers, for those who started it. */
export interface ServerFacts {
  /** What clients are told to call it. */
  readonly url: string;
  /** Where it listens: `host:port`. */
  readonly address: string;
  /** Where the data is, for people. */
  readonly data: string;
  /** The CA that clients have to trust, where the server made it itself. */
  readonly caFile: string | undefined;
  /** `sha256:…` of the CA; undefined without TLS, and for a certificate that was given without its CA. */
  readonly caFingerprint: string | undefined;
  /** On the first start only. */
  readonly adminToken: string | undefined;
  readonly adminTokenFile: string;
}

export type RunningServer = ServerFacts & RunningProgram;
