import { isAtLeast, type CollectorVersion, type Minimum } from "../model/collector-version.ts";
import { Field, Report } from "../model/field.ts";
import type { ObjectRef } from "../model/kube-object.ts";
import { fileNameOf, type Reference, type ReferenceTracker, type ValueRef } from "../model/references.ts";

/**
 * How much is checked. `full` is for a collector that will run. `values` is for rendering files without a cluster: it
 * does not ask whether mounted files exist, whether a probe is complete, or whether settings of proxies go together.
 */
export type Checks = "full" | "values";

export interface ScopeOptions {
  readonly version: CollectorVersion;
  readonly references: ReferenceTracker;
  readonly checks: Checks;
  readonly certsDirectory: string;
}

interface Isolated<Value> {
  readonly value: Value;
  /** The first problem, if there is one; the value is then not to be used. */
  readonly problem: string | undefined;
}

/** The content of a file for TLS, and the hash under which it is remembered what that is. */
export interface Pem {
  readonly text: string;
  readonly hash: string;
}

/** A key of a Secret or a ConfigMap that the collector reads as a file. */
export interface MountedFile {
  readonly path: string;
  /** Its content, if that is to be checked. */
  readonly content: Pem | undefined;
  /** Says what is wrong with the content: `which …`. */
  reject(problem: string, fix: string): void;
}

/** Files for TLS share the few Secrets that a pod mounts: this is what one object may take of them. */
const maxFileBytes = 512 * 1024;

/** The context of reading one object: whose references these are, and what the collector understands. */
export class Scope {
  readonly owner: ObjectRef;
  readonly report: Report;
  readonly options: ScopeOptions;
  /** By their names. */
  readonly #files = new Map<string, ValueRef>();
  #fileBytes = 0;

  constructor(owner: ObjectRef, report: Report, options: ScopeOptions) {
    this.owner = owner;
    this.report = report;
    this.options = options;
  }

  field(value: unknown, name: string): Field {
    return Field.root(value, this.report, name);
  }

  /** Whether to ask for more than the text needs. */
  get checksAll(): boolean {
    return this.options.checks === "full";
  }

  isAtLeast(minimum: Minimum): boolean {
    return isAtLeast(this.options.version, minimum);
  }

  /** Reads a part as if it were alone, and says what is wrong there: a bad part need not take the others with it. */
  isolated<Value>(field: Field, read: (field: Field, scope: Scope) => Value): Isolated<Value> {
    const scope = new Scope(this.owner, new Report(), this.options);
    const value = read(scope.field(field.value, field.path), scope);
    for (const problem of scope.report.problems) this.report.problem(problem);
    for (const note of scope.report.notes) this.report.note(note);
    if (scope.report.problems.length > 0) scope.releaseFiles();
    return { value, problem: scope.report.problems[0]?.message };
  }

  /** Reads a field if the collector's version knows it, and notes that it was left out if not. */
  since<Value>(minimum: Minimum, field: Field, read: (field: Field) => Value): Value | undefined {
    if (!field.present) return undefined;
    if (this.isAtLeast(minimum)) return read(field);
    this.report.note(
      `${field.path} is left out: it needs Prometheus ${minimum} or newer, and this is ${this.options.version.text}.`,
    );
    return undefined;
  }

  /** The value behind a key selector of a Secret. */
  secret(field: Field): string | undefined {
    const ref = this.#ref(field, "Secret");
    return ref === undefined ? undefined : this.#found(field, ref, "value");
  }

  /** The value behind a selector of a Secret or a ConfigMap. */
  secretOrConfigMap(field: Field): string | undefined {
    return this.secret(field.get("secret")) ?? this.#configMap(field.get("configMap"));
  }

  #configMap(field: Field): string | undefined {
    const ref = this.#ref(field, "ConfigMap");
    return ref === undefined ? undefined : this.#found(field, ref, "value");
  }

  /** The file that will hold what a key selector of a Secret names. */
  secretFile(field: Field): MountedFile | undefined {
    return this.#file(field, "Secret");
  }

  /** The file that will hold what a selector of a Secret or a ConfigMap names. */
  secretOrConfigMapFile(field: Field): MountedFile | undefined {
    return this.#file(field.get("secret"), "Secret") ?? this.#file(field.get("configMap"), "ConfigMap");
  }

  #file(field: Field, kind: ValueRef["kind"]): MountedFile | undefined {
    const ref = this.#ref(field, kind);
    if (ref === undefined) return undefined;
    const { references } = this.options;
    const text = this.#found(field, ref, "file");
    // One that is optional and missing must not be named: a collector does not start without its files.
    if (text === undefined && this.checksAll && isOptional(field)) return undefined;
    this.#hold(field, ref, text ?? "");
    return {
      path: `${this.options.certsDirectory}/${fileNameOf(ref)}`,
      content: text !== undefined && this.checksAll ? { text, hash: references.hashOf(ref) } : undefined,
      reject: (problem, fix) => field.reject(`${named(field, ref)}, which ${problem}.`, fix),
    };
  }

  #hold(field: Field, ref: ValueRef, content: string): void {
    const file = fileNameOf(ref);
    if (this.#files.has(file)) return;
    this.#files.set(file, ref);
    this.options.references.hold(ref);
    this.#fileBytes += Buffer.byteLength(content);
    if (this.#fileBytes <= maxFileBytes) return;
    field.reject(
      `The certificates and keys that it refers to, up to ${field.path}, are more than 512 KiB.`,
      "Leave out certificates that are not needed, or divide it into several.",
    );
  }

  /** The object is not used after all, and its files are not needed. */
  releaseFiles(): void {
    for (const ref of this.#files.values()) this.options.references.release(ref);
  }

  /** A selector without a name is one that the API server filled with defaults, and means nothing. */
  #ref(field: Field, kind: ValueRef["kind"]): ValueRef | undefined {
    const name = field.get("name").word();
    if (name === undefined) return undefined;
    return { kind, namespace: this.owner.namespace, name, key: field.get("key").text() ?? "" };
  }

  #found(field: Field, ref: ValueRef, use: Reference["use"]): string | undefined {
    const value = this.options.references.resolve(ref, use, this.owner);
    const isNeeded = use === "value" || this.checksAll;
    if (value === undefined && isNeeded && !isOptional(field)) {
      this.#rejectMissing(field, ref);
    }
    return value;
  }

  #rejectMissing(field: Field, ref: ValueRef): void {
    const { kind, namespace, name, key } = ref;
    if (this.options.references.isForbidden(ref)) {
      const fix = `Give the operator the right to get the ${kind} ${namespace}/${name}.`;
      return field.reject(`${named(field, ref)}, which may not be read.`, fix);
    }
    const fix = `Create the ${kind} ${namespace}/${name} with the key «${key}», or correct the reference.`;
    return field.reject(`${named(field, ref)}, which does not exist.`, fix);
  }
}

function isOptional(field: Field): boolean {
  return field.get("optional").flag() === true;
}

function named(field: Field, { kind, namespace, name, key }: ValueRef): string {
  return `${field.path} names the key «${key}» of the ${kind} ${namespace}/${name}`;
}
