import type { Static, TObject } from "typebox";

import type { ApiVersion } from "../object/api-version.ts";
import type { Condition } from "../object/condition.ts";
import type { Metadata, UserMetadata } from "../object/metadata.ts";
import type { StaticInput } from "../schema/static-input.ts";
import type { Problem } from "../validate/problem.ts";
import type { Column } from "./column.ts";
import type { DerivedStatus } from "./derived-status.ts";
import type { FilterableField } from "../select/field-selector.ts";
import type { KeepsOne } from "./keeps-one.ts";
import type { KindSchemas } from "./kind-schemas.ts";
import type { Reference } from "./reference.ts";

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
  /** What the last of must not go. */
  readonly keepsOne: KeepsOne | undefined;
  /** The types of conditions its status may have, and what each says when it is True. */
  readonly conditions: Readonly<Record<string, string>>;
  /** Whether something acts on it: only then do generation and observedGeneration tell whether work is left. */
  readonly hasController: boolean;
  /** What its controller may put on an object before it makes anything outside. */
  readonly finalizers: readonly string[];
  /** Fields of the status that only the answer to the create carries. */
  readonly issued: readonly string[];
  /** What the status says of the secret fields. */
  readonly derived: DerivedStatus<Static<Spec>, Static<Status>> | undefined;
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

/** What a client sends: everything with a default may be left out. */
export interface WriteBodyOf<K extends Kind> {
  apiVersion?: ApiVersion;
  kind?: K["kind"];
  metadata: Pick<Metadata, "name"> & Partial<Metadata>;
  spec: StaticInput<K["spec"]>;
  status?: unknown;
}

export type SpecOf<K extends Kind> = Static<K["spec"]>;
export type StatusOf<K extends Kind> = Static<K["status"]>;
