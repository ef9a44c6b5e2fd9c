/** One field-level reason inside a `Status`, as the API server reports it. */
export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** What the API server answers when a request fails. */
export interface Status {
  readonly kind: "Status";
  readonly apiVersion: "v1";
  readonly metadata: Record<string, unknown>;
  readonly status: "Failure";
  readonly message: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code: number;
}

export interface SimStatusErrorInit {
  /** The HTTP status code. */
  readonly code: number;
  /** The machine-readable word, such as `NotFound`; the real server leaves it out in a few answers. */
  readonly reason?: string;
  readonly message: string;
  readonly details?: StatusDetails;
  /** Lets the client go on with a paged list whose snapshot is gone. */
  readonly continueToken?: string;
}

/** Thrown by every part of the simulator for what the API server would answer with a `Status`. */
export class SimStatusError extends Error {
  readonly code: number;
  readonly reason: string | undefined;
  readonly details: StatusDetails | undefined;
  readonly continueToken: string | undefined;

  constructor(init: SimStatusErrorInit) {
    super(init.message);
    this.name = "SimStatusError";
    this.code = init.code;
    this.reason = init.reason;
    this.details = init.details;
    this.continueToken = init.continueToken;
  }

  toStatus(): Status {
    return {
      kind: "Status",
      apiVersion: "v1",
      metadata: this.continueToken === undefined ? {} : { continue: this.continueToken },
      status: "Failure",
      message: this.message,
      ...(this.reason === undefined ? {} : { reason: this.reason }),
      ...(this.details === undefined ? {} : { details: this.details }),
      code: this.code,
    };
  }
}
