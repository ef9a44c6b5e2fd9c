/**
 * The tables as they are after the last migration: the source of the types that queries are checked with, and of the
 * column lists of bulk writes. A test compares it with the real schema of both databases.
 *
 * Times are milliseconds since 1970. Flags are 0 and 1.
 */
const text = { type: "text", nullable: false } as const;
const textOrNull = { type: "text", nullable: true } as const;
const integer = { type: "bigint", nullable: false } as const;
const integerOrNull = { type: "bigint", nullable: true } as const;

export const tables = {
  objects: {
    primaryKey: ["id"],
    columns: {
      id: text,
      kind: text,
      name: text,
      generation: integer,
      observed_generation: integer,
      resource_version: integer,
      body: text,
      secrets: textOrNull,
      lookup_key: textOrNull,
    },
  },
  object_terms: {
    primaryKey: ["kind", "term", "value", "name"],
    columns: { kind: text, term: text, value: text, name: text },
  },
  object_references: {
    primaryKey: ["to_kind", "to_name", "from_kind", "from_name", "field"],
    columns: { to_kind: text, to_name: text, from_kind: text, from_name: text, field: text },
  },
  /** How many rows of a term there are; the empty term counts the objects of a kind. */
  object_counts: {
    primaryKey: ["kind", "term", "value"],
    columns: { kind: text, term: text, value: text, count: integer },
  },
  kind_indexes: { primaryKey: ["kind"], columns: { kind: text, definition: text } },
  changes: {
    primaryKey: ["revision"],
    columns: {
      revision: integer,
      kind: text,
      object_id: text,
      name: text,
      type: text,
      generation: integer,
      desired_changed: integer,
      previous_revision: integerOrNull,
      body: text,
      at: integer,
    },
  },
  /** How far a log is, and how far it has been cut. `logIds` has the names of the rows. */
  store_state: { primaryKey: ["id"], columns: { id: integer, revision: integer, compacted: integer } },
  leases: {
    primaryKey: ["key"],
    columns: { key: text, owner: textOrNull, token: integer, expires_at: integer },
  },
  audit: {
    primaryKey: ["id"],
    columns: {
      id: text,
      at: integer,
      actor_user: textOrNull,
      actor_token: textOrNull,
      actor_address: textOrNull,
      verb: text,
      outcome: text,
      http_status: integer,
      kind: textOrNull,
      name: textOrNull,
      message: textOrNull,
      request_id: text,
      proxy: textOrNull,
      cluster: textOrNull,
      namespace: textOrNull,
      resource: textOrNull,
      object: textOrNull,
      access_grant: textOrNull,
    },
  },
  events: {
    primaryKey: ["fold_key"],
    columns: {
      fold_key: text,
      id: text,
      type: text,
      reason: text,
      message: text,
      regarding_kind: text,
      regarding_name: text,
      regarding_id: textOrNull,
      regarding_cluster: textOrNull,
      source: text,
      count: integer,
      first_seen_at: integer,
      last_seen_at: integer,
      revision: integer,
      regarding_namespace: textOrNull,
      instance: textOrNull,
    },
  },
  answers: {
    primaryKey: ["actor", "key"],
    columns: { actor: text, key: text, fingerprint: text, answer: text, expires_at: integer },
  },
  /** Tokens that agents join by; kept as hashes. */
  join_tokens: {
    primaryKey: ["hash"],
    columns: {
      hash: text,
      cluster_id: text,
      created_at: integer,
      expires_at: integer,
      used_at: integerOrNull,
      agent_id: textOrNull,
    },
  },
  /** The keys of agents; one that is not revoked for each cluster. */
  agents: {
    primaryKey: ["id"],
    columns: {
      id: text,
      cluster_id: text,
      public_key: text,
      cluster_uid: text,
      generation: integer,
      created_at: integer,
      revoked_at: integerOrNull,
    },
  },
  /** Sessions of agents, each held by a replica for as long as that has its lease. */
  agent_sessions: {
    primaryKey: ["id"],
    columns: {
      id: text,
      cluster_id: text,
      lease: text,
      opened_at: integer,
      closed_at: integerOrNull,
    },
  },
  /** Servers that take agents and requests for them, each for as long as it has its lease. `agent_urls` is JSON. */
  replicas: {
    primaryKey: ["id"],
    columns: { id: text, lease: text, url: text, agent_urls: text, version: textOrNull },
  },
  /** Contents that definitions were resolved to, by the id of the definition's object and the hash of the content. */
  revisions: {
    primaryKey: ["definition_id", "id"],
    columns: {
      definition_id: text,
      id: text,
      commit_id: textOrNull,
      objects: integer,
      bytes: integer,
      resolved_at: integer,
      state: text,
      author: textOrNull,
      signer: textOrNull,
    },
  },
  /** The contents themselves, once each: compressed, then encrypted. */
  blobs: { primaryKey: ["id"], columns: { id: text, content: text } },
  /** Objects in clusters, each owned by one instance. `namespace` is empty for an object that has none. */
  inventory: {
    primaryKey: ["cluster_id", "api_group", "kind", "namespace", "name"],
    columns: {
      cluster_id: text,
      api_group: text,
      kind: text,
      namespace: text,
      name: text,
      instance_id: text,
      uid: textOrNull,
      version: text,
      stage: integer,
      state: text,
      revision: text,
      applied_at: integerOrNull,
      resource_version: textOrNull,
      digest: textOrNull,
      content: textOrNull,
      adopts: integer,
      hook: textOrNull,
      hook_end: textOrNull,
    },
  },
  /**
   * How far the report of a cluster about a topic is, and how much is kept of it; `complete` is a flag. The others are
   * those of the graph: the last number of its changes, the last of those that were forgotten, how much there is of its
   * history, and from when on that is whole.
   */
  report_cursors: {
    primaryKey: ["cluster_id", "topic"],
    columns: {
      cluster_id: text,
      topic: text,
      epoch: integer,
      instance: text,
      sequence: integer,
      complete: integer,
      resources: integer,
      facts_size: integer,
      change: integer,
      compacted: integer,
      history_size: integer,
      history_from: integer,
    },
  },
  /** Objects that agents have observed for workloads; `workload` is the name of the instance, `facts` is JSON. */
  resources: {
    primaryKey: ["cluster_id", "uid"],
    columns: {
      cluster_id: text,
      uid: text,
      api_group: text,
      version: text,
      kind: text,
      namespace: text,
      name: text,
      owner_uid: textOrNull,
      workload: text,
      resource_version: text,
      facts: text,
      applied: textOrNull,
      changed_by: textOrNull,
      observed_at: integer,
      epoch: integer,
    },
  },
  /**
   * Versions of what the objects of clusters say: `facts` is JSON, `size` its characters. The current one of an object
   * ends at the end of time. `change` is 0 for one that a later version has replaced: who follows is told of that one.
   */
  graph_versions: {
    primaryKey: ["cluster_id", "uid", "valid_to"],
    columns: {
      cluster_id: text,
      uid: text,
      valid_to: integer,
      valid_from: integer,
      change: integer,
      api_group: text,
      kind: text,
      namespace: text,
      name: text,
      digest: text,
      size: integer,
      facts: text,
    },
  },
  /** How much was known of kinds, in a namespace or, where that is empty, in all of them, from when to when. */
  graph_coverage: {
    primaryKey: ["cluster_id", "api_group", "kind", "namespace", "valid_to"],
    columns: {
      cluster_id: text,
      api_group: text,
      kind: text,
      namespace: text,
      state: text,
      message: text,
      epoch: integer,
      valid_from: integer,
      valid_to: integer,
    },
  },
  /** Numbers about clusters as a whole; `content` is JSON, and empty for a view that there is no more. */
  graph_views: {
    primaryKey: ["cluster_id", "name"],
    columns: {
      cluster_id: text,
      name: text,
      content: text,
      epoch: integer,
      updated_at: integer,
      revision: integer,
    },
  },
  /**
   * Things outside that belong to clusters which Bowline makes, by the id of the Cluster's object. `content` is encrypted:
   * what their maker calls them, and whatever else a provider remembers.
   */
  provider_resources: {
    primaryKey: ["cluster_id", "step"],
    columns: {
      cluster_id: text,
      step: text,
      position: integer,
      type: text,
      region: textOrNull,
      attempt: integer,
      token: text,
      intent_at: integer,
      state: text,
      content: text,
      seen_at: integerOrNull,
      missed_at: integerOrNull,
    },
  },
  /** Values are encrypted. */
  installation: { primaryKey: ["name"], columns: { name: text, value: text } },
} as const;

export type TableName = keyof typeof tables;

type ColumnsOf<T extends TableName> = (typeof tables)[T]["columns"];
type ValueOf<C> =
  | (C extends { type: "text" } ? string : number)
  | (C extends { nullable: true } ? null : never);

export type RowOf<T extends TableName> = { -readonly [C in keyof ColumnsOf<T>]: ValueOf<ColumnsOf<T>[C]> };

export type Database = { [T in TableName]: RowOf<T> };
