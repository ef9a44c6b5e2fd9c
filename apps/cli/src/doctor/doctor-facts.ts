import type { Diagnosis, Role } from "@bowline/api";

/** A failure as it was told. */
export interface Failure {
  readonly code: string;
  readonly message: string;
}

/** What this side finds out about itself and the way to the server. */
export interface ClientFacts {
  readonly version: string;
  readonly nowMs: number;
  /** The config file, when it cannot be read. */
  readonly configProblem?: Failure | undefined;
  /** Undefined when nobody said which server is meant. */
  readonly server?: string | undefined;
  /** Why there is no server to ask, when there is none. */
  readonly choiceProblem?: Failure | undefined;
  /** Why it could not be asked. */
  readonly connectionProblem?: Failure | undefined;
  readonly serverVersion?: string | undefined;
  /** How much later it is on the server; exact to about a second. */
  readonly clockAheadMs?: number | undefined;
  /** The end of the certificate that it shows. */
  readonly certificateEndsMs?: number | undefined;
  readonly identity?: IdentityFacts | undefined;
  readonly identityProblem?: Failure | undefined;
}

interface IdentityFacts {
  readonly user: string;
  readonly role: Role;
  readonly expiresAt?: string | undefined;
}

/** A Cluster, as far as its agent goes. */
export interface ClusterFacts {
  readonly name: string;
  readonly isConnected: boolean;
  /** Undefined when none has ever joined. */
  readonly agent?: { readonly version: string; readonly lastSeenAt: string } | undefined;
  readonly createdAt: string;
}

/** What is in the data folder of a server on this machine. */
export interface LocalFacts {
  readonly folder: string;
  readonly exists: boolean;
  readonly hasDatabase: boolean;
  /** A process works on the database. */
  readonly isInUse?: boolean | undefined;
  /** The keys file, when it is missing or cannot be read. */
  readonly keysProblem?: Failure | undefined;
  readonly databaseProblem?: Failure | undefined;
  readonly pendingMigrations: readonly string[];
  readonly freeBytes?: number | undefined;
  /** `127.0.0.1:7443`, where the server would listen. */
  readonly address: string;
  /** Something listens there. */
  readonly isTaken: boolean;
}

/** Everything that was found out; parts are missing that could not be. */
export interface DoctorFacts {
  readonly client: ClientFacts;
  readonly server?: Diagnosis | undefined;
  readonly serverProblem?: Failure | undefined;
  readonly clusters?: readonly ClusterFacts[] | undefined;
  readonly local?: LocalFacts | undefined;
}
