import type { Static, TObject } from "typebox";

import type { ApiVersion, Metadata, UserMetadata } from "../bodies/metadata.ts";
import type { Condition } from "../bodies/status.ts";
import type { StaticInput } from "../schema/build.ts";
import type { FieldRequirement, FilterableField } from "../select/field-selector.ts";
import type { Problem } from "../validate/report.ts";
import type { KindSchemas } from "./kind-schemas.ts";

/** Everything there is to know about a kind of object; `defineKind` makes them. */
export interface Kind<
  Name extends string = string,
  Spec extends TObject = TObject,
  Status extends TObject = TObject,
> {
  /** `WorkloadInstance` */
  readonly kind: Name;
  /** `workloadinstances`, as in addresses */
  readonly plural: string;
  /** `workloadinstance`, as in what the command line prints */
  readonly singular: string;
  readonly shortNames: readonly string[];
  /** One sentence. */
  readonly description: string;
  readonly spec: Spec;
  readonly status: Status;
  readonly schemas: KindSchemas;
  /** NAME first and AGE last are there without being named. */
  readonly columns: readonly Column[];
  readonly filterable: readonly FilterableField[];
  readonly references: readonly Reference[];
  /** Paths of the fields of the spec that are accepted and never returned; found in the schema. */
  readonly secretFields: readonly string[];
  /** Paths of fields that cannot be changed once the object exists. */
  readonly immutable: readonly string[];
  /** Objects of which the last must not go. */
  readonly keepsOne: KeepsOne | undefined;
  /** Values that no two of its objects may have. */
  readonly exclusive: Exclusive<Static<Spec>> | undefined;
  /**
   * The types of conditions its status may have, and what each says when it is True. Only controllers write them: a kind
   * that has none is not reconciled, and its generation tells nothing about work that is left.
   */
  readonly conditions: Readonly<Record<string, string>>;
  /** Finalizers that its controller may put on an object before it makes anything outside. */
  readonly finalizers: readonly string[];
  /** Fields of the status that only the answer to the create carries. */
  readonly issued: readonly string[];
  /** Fields of the status that follow from the secret fields. */
  readonly derived: DerivedStatus<Static<Spec>, Static<Status>> | undefined;
  /**
   * Whether `status.author` is whoever wrote the spec last, and `status.deletedBy` whoever deleted the object last. The
   * server writes them down with the spec, and with the mark; whatever else writes the status leaves them as they are.
   */
  readonly recordsAuthor: boolean;
  /** The same of `status.approvedBy`, whoever wrote `spec.approved` last; it goes with it. */
  readonly recordsApprover: boolean;
  /** Whether only the server makes and changes its objects: clients read and delete them. */
  readonly serverMade: boolean;
  /** Rules that JSON Schema cannot say, about a spec that follows the schema. Paths begin with `spec`. */
  check(spec: Static<Spec>): readonly Problem[];
  /** The same about what becomes of a spec. Secret fields are only in what is written, if they are to change. */
  checkChange(before: Static<Spec>, after: Static<Spec>): readonly Problem[];
}

/** An object of some kind, for code that treats all of them alike. */
export interface ApiObject {
  apiVersion: ApiVersion;
  kind: string;
  metadata: Metadata;
  spec: object;
  status: { observedGeneration?: number; conditions: Condition[] };
}

/** The object as the server keeps it and returns it. Secret fields are there only inside of the server. */
export interface ObjectOf<K extends Kind> {
  apiVersion: ApiVersion;
  kind: K["kind"];
  metadata: Metadata;
  spec: SpecOf<K>;
  status: StatusOf<K>;
}

/** The part of an object that a client decides, with defaults applied. */
export interface DesiredObjectOf<K extends Kind> {
  apiVersion: ApiVersion;
  kind: K["kind"];
  metadata: UserMetadata;
  spec: SpecOf<K>;
}

/** The body that a client sends: everything with a default may be left out. */
export interface WriteBodyOf<K extends Kind> {
  apiVersion?: ApiVersion;
  kind?: K["kind"];
  metadata: Pick<Metadata, "name"> & Partial<Metadata>;
  spec: StaticInput<K["spec"]>;
  status?: unknown;
}

/** The intersections say of every kind, also of one that is not known yet, what `defineKind` made sure of. */
export type SpecOf<K extends Kind> = Static<K["spec"]> & object;
export type StatusOf<K extends Kind> = Static<K["status"]> & ApiObject["status"];

/**
 * How a value becomes a cell.
 *
 * - `text`: as it is; several values are joined by commas
 * - `age`: how long ago a time was, as kubectl writes it
 * - `until`: how long a time is still ahead, or `expired`
 * - `count`: how many values there are
 */
type ColumnFormat = "text" | "age" | "until" | "count";

export interface Column {
  /** Upper case, no spaces. */
  readonly header: string;
  /** A path as `parseFieldPath` takes it. */
  readonly path: string;
  /** The path of the whole that the value is a part of: `3/5`. */
  readonly of?: string;
  /** Shown only when asked for. */
  readonly wide?: boolean;
  readonly format?: ColumnFormat;
}

/**
 * A field that holds the name of another object.
 *
 * Deleting that other object with `?cascade` means:
 * - `delete`: this object is deleted as well, because it makes no sense without the other
 * - `remove`: the name is taken out of the list; the object is deleted if the list would be empty
 * - `refuse`: never; somebody has to change this object first
 * - `owned`: this object is deleted as well, also when nobody asked for `?cascade`: it is a part of the other, and takes
 *   no right of its own
 */
export interface Reference {
  /** A path as `parseFieldPath` takes it, with `[]` behind lists. */
  readonly field: string;
  /** The kind of the object that is named. */
  readonly kind: string;
  readonly cascade: "delete" | "remove" | "refuse" | "owned";
  /** The other object must be there already when this one is written; else it may come later. */
  readonly mustExist?: boolean;
}

/** Of some objects there must always be one, once there is any: no write takes the last one away. */
export interface KeepsOne {
  /** Which objects these are. */
  readonly fields: readonly FieldRequirement[];
  /** Completes "It is the last …". */
  readonly what: string;
}

/** Values of a field that belong to one object alone, in ways that only the kind knows. */
export interface Exclusive<Spec = object> {
  /** The field, as it is selected by: only objects that have one of its values are compared. */
  readonly field: string;
  /** Says of two specs why they cannot be there at the same time; it reads on from the path. */
  conflict(mine: Spec, other: Spec): Problem | undefined;
}

/**
 * Fields of a status that follow from the secret fields of the spec. They are worked out when those are written, because
 * later nobody could: the API never returns what they follow from.
 */
export interface DerivedStatus<Spec = object, Status = object> {
  /** Whatever else writes the status leaves these as they are. */
  readonly fields: readonly string[];
  /** `fingerprint` is another one whenever a secret field changes, and tells nothing about its value. */
  of(spec: Spec, fingerprint: string): Partial<Status>;
}
