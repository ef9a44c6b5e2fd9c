/** A code's meaning to each kind of caller. `docs/reference/errors.md` explains every code; a test keeps both in step. */
export interface ErrorCodeInfo {
  /** The status an HTTP answer carries when this error ends a request. */
  readonly httpStatus: number;
  /** The exit code of the command line. */
  readonly exitCode: number;
  /** Whether trying the same thing again later may succeed without anybody changing anything. */
  readonly retryable: boolean;
}

export const errorCodes = {
  // General
  Internal: { httpStatus: 500, exitCode: 1, retryable: false },
  InvalidArgument: { httpStatus: 400, exitCode: 2, retryable: false },
  Timeout: { httpStatus: 504, exitCode: 1, retryable: true },
  Cancelled: { httpStatus: 499, exitCode: 130, retryable: false },
  SupervisorGaveUp: { httpStatus: 500, exitCode: 1, retryable: false },
  ShutdownTimeout: { httpStatus: 500, exitCode: 1, retryable: false },
  MissingProgram: { httpStatus: 500, exitCode: 1, retryable: false },
  ProcessFailed: { httpStatus: 500, exitCode: 1, retryable: false },

  // Configuration of a Kubernetes client
  KubeconfigUnreadable: { httpStatus: 500, exitCode: 1, retryable: false },
  KubeconfigInvalid: { httpStatus: 500, exitCode: 1, retryable: false },
  KubeContextUnknown: { httpStatus: 500, exitCode: 1, retryable: false },
  ExecPluginMissing: { httpStatus: 500, exitCode: 1, retryable: false },
  ExecPluginFailed: { httpStatus: 500, exitCode: 1, retryable: true },

  // The way to a Kubernetes API server
  ConnectionFailed: { httpStatus: 502, exitCode: 1, retryable: true },
  CertificateExpired: { httpStatus: 502, exitCode: 1, retryable: false },
  CertificateUntrusted: { httpStatus: 502, exitCode: 1, retryable: false },
  NotKubernetes: { httpStatus: 502, exitCode: 1, retryable: false },
  ResponseInvalid: { httpStatus: 502, exitCode: 1, retryable: true },
  ResponseTooLarge: { httpStatus: 502, exitCode: 1, retryable: false },

  // Answers of a Kubernetes API server
  Unauthorized: { httpStatus: 401, exitCode: 1, retryable: false },
  Forbidden: { httpStatus: 403, exitCode: 1, retryable: false },
  NotFound: { httpStatus: 404, exitCode: 1, retryable: false },
  AlreadyExists: { httpStatus: 409, exitCode: 1, retryable: false },
  Conflict: { httpStatus: 409, exitCode: 1, retryable: true },
  FieldConflict: { httpStatus: 409, exitCode: 1, retryable: false },
  Expired: { httpStatus: 410, exitCode: 1, retryable: true },
  Invalid: { httpStatus: 422, exitCode: 1, retryable: false },
  TooManyRequests: { httpStatus: 429, exitCode: 1, retryable: true },
  MethodNotSupported: { httpStatus: 405, exitCode: 1, retryable: false },
  ServerUnavailable: { httpStatus: 503, exitCode: 1, retryable: true },
  ServerError: { httpStatus: 500, exitCode: 1, retryable: true },
  BadRequest: { httpStatus: 400, exitCode: 1, retryable: false },

  // Reconciling
  ReconcileStalled: { httpStatus: 422, exitCode: 1, retryable: false },
  ReconcileWaiting: { httpStatus: 503, exitCode: 1, retryable: true },
  LeaseLost: { httpStatus: 409, exitCode: 1, retryable: true },
  NotGranted: { httpStatus: 403, exitCode: 1, retryable: false },

  // Rendering: from files to Kubernetes objects
  RenderFailed: { httpStatus: 422, exitCode: 1, retryable: false },
  RendererMissing: { httpStatus: 500, exitCode: 1, retryable: false },
  RendererTooOld: { httpStatus: 500, exitCode: 1, retryable: false },
  TooLarge: { httpStatus: 422, exitCode: 1, retryable: false },
  UnsafePath: { httpStatus: 422, exitCode: 1, retryable: false },

  // The server's store
  PreconditionFailed: { httpStatus: 412, exitCode: 1, retryable: false },
  StillReferenced: { httpStatus: 409, exitCode: 1, retryable: false },
  DatabaseUnavailable: { httpStatus: 503, exitCode: 1, retryable: true },
  DataFolderLocked: { httpStatus: 500, exitCode: 1, retryable: false },
  DecryptionFailed: { httpStatus: 500, exitCode: 1, retryable: false },
  MigrationFailed: { httpStatus: 500, exitCode: 1, retryable: false },
  BackupInvalid: { httpStatus: 422, exitCode: 1, retryable: false },

  // The server's notifications
  BrokerUnavailable: { httpStatus: 503, exitCode: 1, retryable: true },

  // Requests to the server that end before anybody looks at what they want
  RequestTimeout: { httpStatus: 408, exitCode: 1, retryable: true },
  BodyTooLarge: { httpStatus: 413, exitCode: 1, retryable: false },
  AddressTooLong: { httpStatus: 414, exitCode: 1, retryable: false },
  ContentTypeNotSupported: { httpStatus: 415, exitCode: 1, retryable: false },
  HeadersTooLarge: { httpStatus: 431, exitCode: 1, retryable: false },

  // The command line, and the way to a server
  NotBowline: { httpStatus: 502, exitCode: 1, retryable: false },
  NotLoggedIn: { httpStatus: 401, exitCode: 1, retryable: false },
  ContextUnknown: { httpStatus: 404, exitCode: 1, retryable: false },
  ConfigFileInvalid: { httpStatus: 500, exitCode: 1, retryable: false },

  // Workloads from git
  AuthFailed: { httpStatus: 502, exitCode: 1, retryable: false },
  CredentialRefused: { httpStatus: 403, exitCode: 1, retryable: false },
  HostKeyMismatch: { httpStatus: 502, exitCode: 1, retryable: false },
  HostKeyUnknown: { httpStatus: 502, exitCode: 1, retryable: false },
  Unreachable: { httpStatus: 502, exitCode: 1, retryable: true },
  Redirected: { httpStatus: 502, exitCode: 1, retryable: false },
  NotGit: { httpStatus: 502, exitCode: 1, retryable: false },
  RepositoryNotFound: { httpStatus: 404, exitCode: 1, retryable: false },
  RefNotFound: { httpStatus: 404, exitCode: 1, retryable: false },
  RefAmbiguous: { httpStatus: 422, exitCode: 1, retryable: false },
  CommitNotFound: { httpStatus: 404, exitCode: 1, retryable: true },
  PathNotFound: { httpStatus: 404, exitCode: 1, retryable: false },
  UnreadableFile: { httpStatus: 422, exitCode: 1, retryable: false },
  NotVerified: { httpStatus: 422, exitCode: 1, retryable: false },
  NotDescendant: { httpStatus: 409, exitCode: 1, retryable: false },
  ManagedByGit: { httpStatus: 409, exitCode: 1, retryable: false },

  // The tunnel to a cluster
  AgentOffline: { httpStatus: 503, exitCode: 1, retryable: true },
  TunnelLost: { httpStatus: 502, exitCode: 1, retryable: true },
  TunnelDraining: { httpStatus: 503, exitCode: 1, retryable: true },
  ProtocolViolation: { httpStatus: 502, exitCode: 1, retryable: false },
} as const satisfies Record<string, ErrorCodeInfo>;

export type ErrorCode = keyof typeof errorCodes;
