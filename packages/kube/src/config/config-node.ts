import { BowlineError } from "@bowline/core";

/** A place in a parsed kubeconfig that knows its file and path, so that every complaint can say where. */
export class ConfigNode {
  readonly #value: unknown;
  readonly file: string;
  readonly path: string;

  constructor(value: unknown, file: string, path = "") {
    this.#value = value;
    this.file = file;
    this.path = path;
  }

  get isMissing(): boolean {
    return this.#value === undefined || this.#value === null;
  }

  /** The value as it is, for what is passed on without being understood. */
  get raw(): unknown {
    return this.#value;
  }

  field(name: string): ConfigNode {
    const path = this.path === "" ? name : `${this.path}.${name}`;
    if (this.isMissing) return new ConfigNode(undefined, this.file, path);
    const record = this.#record();
    return new ConfigNode(Object.hasOwn(record, name) ? record[name] : undefined, this.file, path);
  }

  text(): string {
    const text = this.optionalText();
    if (text === undefined) throw this.error("is missing");
    return text;
  }

  /** An empty string means the same as none, as it does to kubectl. */
  optionalText(): string | undefined {
    if (this.isMissing || this.#value === "") return undefined;
    if (typeof this.#value !== "string") throw this.error("must be a string");
    return this.#value;
  }

  flag(): boolean {
    if (this.isMissing) return false;
    if (typeof this.#value !== "boolean") throw this.error("must be true or false");
    return this.#value;
  }

  items(): ConfigNode[] {
    if (this.isMissing) return [];
    if (!Array.isArray(this.#value)) throw this.error("must be a list");
    return this.#value.map((value, index) => new ConfigNode(value, this.file, `${this.path}[${index}]`));
  }

  entries(): [string, ConfigNode][] {
    if (this.isMissing) return [];
    return Object.keys(this.#record()).map((name) => [name, this.field(name)]);
  }

  error(what: string, cause?: unknown): BowlineError {
    const place = this.path === "" ? "the document" : this.path;
    return new BowlineError(
      "KubeconfigInvalid",
      `The kubeconfig ${this.file} cannot be used: ${place} ${what}.`,
      {
        cause,
        details: { file: this.file, path: this.path },
      },
    );
  }

  #record(): Readonly<Record<string, unknown>> {
    if (typeof this.#value !== "object" || this.#value === null || Array.isArray(this.#value)) {
      throw this.error("must be a mapping");
    }
    return this.#value as Readonly<Record<string, unknown>>;
  }
}
