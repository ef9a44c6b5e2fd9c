import {
  AccessGrant,
  Cluster,
  ConfigSource,
  Credential,
  DomainName,
  Gateway,
  GraphQuestion,
  Session,
  Token,
  User,
  WorkloadDefinition,
  WorkloadInstance,
  WorkloadPlacement,
  type Role,
} from "@bowline/api";

export type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete" | "update-status";

/** The least role that may do something to the objects of a kind. */
export interface KindRule {
  /** Get, list and watch. */
  readonly read: Role;
  /** Create, update, patch and delete. */
  readonly write: Role;
  readonly writeStatus: Role;
  /** Users who are no admins see and write only those objects whose field has their name. */
  readonly own?: "spec.user";
}

/**
 * The roles that verbs take. Each role may also do what those before it may: viewer, editor, admin. `docs/reference/access.md` has
 * the same table for people.
 */
export const rules: Readonly<Record<string, KindRule>> = {
  [Cluster.kind]: { read: "viewer", write: "editor", writeStatus: "admin" },
  [WorkloadDefinition.kind]: { read: "viewer", write: "editor", writeStatus: "admin" },
  [WorkloadInstance.kind]: { read: "viewer", write: "editor", writeStatus: "admin" },
  [WorkloadPlacement.kind]: { read: "viewer", write: "admin", writeStatus: "admin" },
  [Gateway.kind]: { read: "viewer", write: "editor", writeStatus: "admin" },
  // It says where the server sends requests that it signs.
  [DomainName.kind]: { read: "viewer", write: "admin", writeStatus: "admin" },
  [ConfigSource.kind]: { read: "viewer", write: "editor", writeStatus: "admin" },
  [Credential.kind]: { read: "viewer", write: "editor", writeStatus: "admin" },
  // Its status and events tell what its author may see, by AccessGrants that others do not have.
  [GraphQuestion.kind]: { read: "admin", write: "admin", writeStatus: "admin" },
  [AccessGrant.kind]: { read: "viewer", write: "admin", writeStatus: "admin" },
  [User.kind]: { read: "viewer", write: "admin", writeStatus: "admin" },
  [Token.kind]: { read: "viewer", write: "viewer", writeStatus: "admin", own: "spec.user" },
  [Session.kind]: { read: "viewer", write: "viewer", writeStatus: "admin", own: "spec.user" },
};

/** For a kind that has no line yet: nobody gets access by an oversight. */
export const strictest: KindRule = { read: "admin", write: "admin", writeStatus: "admin" };

/** The rule that a verb falls under. */
export const permissionOf: Readonly<Record<Verb, "read" | "write" | "writeStatus">> = {
  get: "read",
  list: "read",
  watch: "read",
  create: "write",
  update: "write",
  patch: "write",
  delete: "write",
  "update-status": "writeStatus",
};
