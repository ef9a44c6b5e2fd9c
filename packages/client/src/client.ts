import type { Readable } from "node:stream";

import type {
  AgentSessionList,
  ApiObject,
  AuditRecord,
  ClusterPlan,
  CodeRedemption,
  CommandCredential,
  ConsoleInfo,
  Diagnosis,
  DiffRequest,
  EventRecord,
  GraphAnswer,
  GraphData,
  GraphQuestionName,
  JoinToken,
  Kind,
  ListMeta,
  ObjectOf,
  RevokedAgents,
  SignInCode,
  StatusOf,
  Token,
  WatchEvent,
  Whoami,
  ConfigSource,
  WorkloadDefinition,
  WorkloadDiff,
  WorkloadRevision,
  WorkloadRevisionContent,
  WorkloadTree,
  WriteBodyOf,
} from "@bowline/api";

import type { ClusterSocket } from "./http/cluster-socket.ts";

/**
 * The REST API of one server, as one identity.
 *
 * Every method rejects with a `BowlineError`: what the server refused has the server's code and message and under
 * `details` its `fields`, `blockedBy`, `requestId` and `httpStatus`; what failed on the way is one sentence that names
 * the fix. Requests that can be repeated without harm are, a few times: reads and creates with an idempotency key when
 * the connection broke or the server was not ready (503), and anything the server turned away unread (429).
 */
export interface Client {
  /** The address of the server, without a path. */
  readonly server: string;

  /** One page. */
  list<K extends Kind>(kind: K, query?: ListQuery, options?: RequestOptions): Promise<ObjectList<K>>;
  /** Every page, each asked for when the one before has been taken. `Expired` when the caller took too long. */
  listAll<K extends Kind>(
    kind: K,
    query?: ListQuery,
    options?: RequestOptions,
  ): AsyncGenerator<ObjectList<K>, void, undefined>;
  get<K extends Kind>(kind: K, name: string, options?: RequestOptions): Promise<ReadObject<K>>;
  /** The answer alone carries what is issued once, such as the secret of a token. */
  create<K extends Kind>(kind: K, body: BodyOf<K>, options?: CreateOptions): Promise<ReadObject<K>>;
  /** Creates or updates, so that the object is what the body says. */
  apply<K extends Kind>(kind: K, name: string, body: BodyOf<K>, options?: ApplyOptions): Promise<Applied<K>>;
  /** A JSON merge patch: fields that are there are set, fields that are null are taken out. */
  patch<K extends Kind>(
    kind: K,
    name: string,
    patch: object,
    options?: ChangeOptions,
  ): Promise<ReadObject<K>>;
  delete<K extends Kind>(kind: K, name: string, options?: DeleteOptions): Promise<Deleted<K>>;

  getStatus<K extends Kind>(kind: K, name: string, options?: RequestOptions): Promise<ReadObject<K>>;
  /** For controllers. The object with its new status. */
  putStatus<K extends Kind>(
    kind: K,
    name: string,
    status: StatusOf<K>,
    options?: WriteOptions,
  ): Promise<ReadObject<K>>;

  /**
   * The changes of the objects that match, until the signal aborts or the loop is left.
   *
   * Without `since` it begins with an ADDED for every object there is. When the connection is lost it connects again,
   * with growing pauses and for as long as it takes, and goes on after the last event it has seen. While the first
   * objects are still coming there is nothing to go on from: it begins again, and some ADDED come twice.
   *
   * Events of type ERROR are thrown instead. `Expired` means that the server no longer knows what happened in between:
   * list again, and watch from the list's resourceVersion. The client does not do that by itself, because only the
   * caller knows which objects it showed and now has to take back.
   */
  watch<K extends Kind>(
    kind: K,
    query?: WatchQuery,
    options?: WatchOptions,
  ): AsyncGenerator<ChangeEvent<ReadObject<K>>, void, undefined>;

  /** Events of objects, newest first: one page. */
  listEvents(query?: EventQuery, options?: RequestOptions): Promise<RecordList<EventRecord>>;
  /** The same, live; ends and goes on as `watch` does. */
  watchEvents(
    query?: Omit<EventQuery, "limit" | "cursor">,
    options?: WatchOptions,
  ): AsyncGenerator<ChangeEvent<EventRecord>, void, undefined>;
  /** The audit log, newest first: one page. */
  listAudit(query?: AuditQuery, options?: RequestOptions): Promise<RecordList<AuditRecord>>;

  /** What would be made for a Cluster, and what it costs; nothing is made. */
  planCluster(body: object, options?: RequestOptions): Promise<ClusterPlan>;
  /** Makes what an agent joins the Cluster with; only the answer shows it. */
  createJoinToken(cluster: string, options?: JoinTokenOptions): Promise<JoinToken>;
  /** The keys of the Cluster's agents, and its unused join tokens, stop working at once; connections are closed. */
  revokeAgents(cluster: string, options?: RequestOptions): Promise<RevokedAgents>;

  /** The objects of a WorkloadInstance in its clusters, or in one of them, with those that they own. */
  tree(instance: string, query?: TreeQuery, options?: RequestOptions): Promise<WorkloadTree>;

  /** What would become of a WorkloadInstance in a cluster, which is asked with the rights of whoever asks. */
  diff(instance: string, request: DiffRequest, options?: RequestOptions): Promise<WorkloadDiff>;

  /** Has the repository of a WorkloadDefinition or a ConfigSource looked at now; does not wait for the look. */
  resolveSource<K extends typeof ConfigSource | typeof WorkloadDefinition>(
    kind: K,
    name: string,
    options?: RequestOptions,
  ): Promise<ReadObject<K>>;

  /** What a WorkloadDefinition was resolved to, newest first: one page. */
  listRevisions(
    definition: string,
    query?: RevisionQuery,
    options?: RequestOptions,
  ): Promise<RecordList<WorkloadRevision>>;
  /** One of them with its manifests; values of Secrets are masked. */
  getRevision(definition: string, id: string, options?: RequestOptions): Promise<WorkloadRevisionContent>;

  /** A question about the objects of clusters, such as `uses`. */
  askGraph<Name extends GraphQuestionName>(
    question: Name,
    query: GraphQuery,
    options?: RequestOptions,
  ): Promise<GraphAnswer<GraphData<Name>>>;

  /** The graph of a cluster as text, while it is made. To be read to its end, or destroyed. */
  exportGraph(query: GraphQuery, options?: RequestOptions): Promise<Readable>;

  /** A backup of the server's database, while it is made. To be read to its end, or destroyed. */
  backup(query?: BackupQuery, options?: RequestOptions): Promise<Readable>;

  /** What the server knows of itself; for admins. */
  diagnose(options?: RequestOptions): Promise<Diagnosis>;

  /** The sessions of agents that are open, on all replicas. */
  agentSessions(options?: RequestOptions): Promise<AgentSessionList>;

  /** The metrics of the server, in the text format of Prometheus. */
  metrics(options?: RequestOptions): Promise<string>;

  /** The Kubernetes API of a cluster, through the server and the tunnel of the cluster's agent. */
  inCluster(cluster: string): ClusterApi;

  /** The token stops working at once and stays in the list. */
  revokeToken(name: string, options?: RequestOptions): Promise<Token>;
  /** Checks the token and has the login noted in the audit log. */
  login(options?: RequestOptions): Promise<Whoami>;
  whoami(options?: RequestOptions): Promise<Whoami>;
  /** Of which a browser can make one session with the rights of this client's token, within a minute. */
  createSignInCode(options?: RequestOptions): Promise<SignInCode>;
  /** For a command line that somebody agreed to in their browser; needs no token, and can be done once. */
  redeemSignInCode(redemption: CodeRedemption, options?: RequestOptions): Promise<CommandCredential>;
  /** What there is to know of the console; needs no token. */
  consoleInfo(options?: RequestOptions): Promise<ConsoleInfo>;
  /** Of the server; needs no token. */
  version(options?: RequestOptions): Promise<ServerVersion>;

  /** Ends every request under way with `Cancelled`, and closes the sockets. */
  close(): Promise<void>;
}

/**
 * One cluster. Paths are those of its API server, with their query: `/api/v1/pods?limit=10`. What the cluster refuses is
 * a `BowlineError` in its words.
 */
export interface ClusterApi {
  /** An answer in JSON. */
  get(path: string, options?: RequestOptions): Promise<unknown>;
  /** The beginning of an answer that may go on for ever, as a log does. To be read to its end, or destroyed. */
  stream(path: string, options?: RequestOptions): Promise<Readable>;
  /** A WebSocket that speaks one of these subprotocols, for streams both ways. */
  connect(path: string, options: ConnectOptions): Promise<ClusterSocket>;
}

/** An object as the API returns it. */
export type ReadObject<K extends Kind> = ObjectOf<K> & ApiObject;

/** The body that is sent: typed for a kind that is known when the program is written, else any object. */
export type BodyOf<K extends Kind> = Kind extends K ? object : WriteBodyOf<K>;

export interface ObjectList<K extends Kind> {
  readonly metadata: ListMeta;
  readonly items: readonly ReadObject<K>[];
}

export interface RecordList<Item> {
  readonly metadata: Omit<ListMeta, "resourceVersion"> & { readonly resourceVersion?: string };
  readonly items: readonly Item[];
}

/** A watch throws its errors, so what it yields is a change or a bookmark. */
export type ChangeEvent<Item> = Exclude<WatchEvent<Item>, { readonly type: "ERROR" }>;

export interface Applied<K extends Kind> {
  readonly outcome: "created" | "updated" | "unchanged";
  readonly object: ReadObject<K>;
}

/**
 * - `deleted`: gone; the object is as it was last
 * - `deleting`: marked as deleted; it goes when its finalizers are done
 * - `planned`: a dry run with cascade, which tells everything that would be done
 */
type Deleted<K extends Kind> =
  | { readonly outcome: "deleted" | "deleting"; readonly object: ReadObject<K> }
  | { readonly outcome: "planned"; readonly object?: undefined; readonly steps: readonly DeletionStep[] };

/** Something that a deletion with cascade would do; `update` takes the name of the object out of another one. */
export interface DeletionStep {
  readonly action: "delete" | "update";
  readonly kind: string;
  readonly name: string;
}

export interface ServerVersion {
  readonly version: string;
}

export interface WatchQuery {
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

export interface ListQuery extends WatchQuery {
  /** Objects in a page. */
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface EventQuery {
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
  readonly cluster?: string | undefined;
  /** Name of a WorkloadInstance. */
  readonly instance?: string | undefined;
  readonly type?: "Normal" | "Warning" | undefined;
  readonly reason?: string | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** The parameters of a question, as its address has them; those without a value are left out. */
export type GraphQuery = Readonly<Record<string, string | number | undefined>>;

interface RevisionQuery {
  /** Count only the clusters in which this WorkloadInstance has them. */
  readonly instance?: string | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

interface BackupQuery {
  /** Leaves out the audit log and the events. */
  readonly noHistory?: boolean | undefined;
}

interface TreeQuery {
  readonly cluster?: string | undefined;
}

export interface AuditQuery {
  readonly user?: string | undefined;
  /** Name of a Cluster: what was done to it, and in it. */
  readonly cluster?: string | undefined;
  readonly namespace?: string | undefined;
  readonly resource?: string | undefined;
  /** The name of an object in a cluster. */
  readonly object?: string | undefined;
  readonly grant?: string | undefined;
  readonly requestId?: string | undefined;
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
  readonly verb?: string | undefined;
  readonly outcome?: string | undefined;
  /** Not before this time. */
  readonly since?: string | undefined;
  /** Before this time. */
  readonly until?: string | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

interface ConnectOptions extends RequestOptions {
  readonly protocols: readonly string[];
}

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
}

interface JoinTokenOptions extends RequestOptions {
  /** An hour when not given, a week at most. */
  readonly expiresInSeconds?: number | undefined;
}

interface WriteOptions extends RequestOptions {
  /** Checks everything and writes nothing; the answer is what would have been written. */
  readonly dryRun?: boolean | undefined;
  /** A resourceVersion: `PreconditionFailed` unless the object still has it. */
  readonly ifMatch?: string | undefined;
}

interface ChangeOptions extends WriteOptions {
  /** Changes what comes from git all the same, until its next commit: `ManagedByGit` without it. */
  readonly override?: boolean | undefined;
}

interface CreateOptions extends Pick<WriteOptions, "dryRun" | "signal"> {
  /** A repetition with the same key and body gets the first answer again instead of a second object. */
  readonly idempotencyKey?: string | undefined;
}

interface ApplyOptions extends ChangeOptions {
  /** `*`: only create. */
  readonly ifNoneMatch?: "*" | undefined;
}

interface DeleteOptions extends ChangeOptions {
  /** Deals with the objects that refer to this one as well, instead of being refused. */
  readonly cascade?: boolean | undefined;
}

export interface WatchOptions extends RequestOptions {
  /** The changes after this resourceVersion, such as a list has. */
  readonly since?: string | undefined;
  /** Told each time the server has accepted the watch. */
  readonly onOpen?: () => void;
  /** Told when the connection was lost, and how long it will be until the next attempt. */
  readonly onLost?: (error: Error, retryInMs: number) => void;
}
