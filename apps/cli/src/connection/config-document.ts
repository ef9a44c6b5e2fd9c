import { BowlineError } from "@bowline/core";
import { isMap, isSeq, parseDocument, YAMLMap, type Document } from "yaml";

/** A server and how to sign in to it, under a name. */
export interface ContextEntry {
  readonly name: string;
  readonly server: string;
  /** The certificate authorities to trust for it, and no others. */
  readonly caPem?: string | undefined;
  readonly token?: string | undefined;
  /** Read each time, so that a token that is renewed there is used at once. */
  readonly tokenFile?: string | undefined;
  /** For a server in a cluster that cannot be reached from here but through the API server of that cluster. */
  readonly kubernetes?: KubernetesWay | undefined;
}

/** How to reach a server through the cluster it runs in: by a port-forward to one of its pods. */
export interface KubernetesWay {
  readonly kubeconfig: string;
  /** The context in it; the current one if left out. */
  readonly context?: string | undefined;
  readonly namespace: string;
  /** The Service whose pods are servers. */
  readonly service: string;
}

/** Names that one command line writes, another must be able to type without quotes. */
export const contextNamePattern = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

/**
 * The configuration of the command line: contexts, and which of them is current. Works on the document itself, so that
 * comments, and fields of a newer version, are still there after a change.
 */
export class ConfigDocument {
  readonly #document: Document;
  readonly #path: string;

  /** `ConfigFileInvalid` when the text is not YAML or has another shape. */
  constructor(text: string, path: string) {
    this.#path = path;
    this.#document = parseDocument(text, { uniqueKeys: true });
    const [error] = this.#document.errors;
    if (error !== undefined) throw this.#invalid(`is not valid YAML: ${firstLine(error.message)}`);
    if (this.#document.contents !== null && !isMap(this.#document.contents)) {
      throw this.#invalid("should be a map with the fields contexts and currentContext");
    }
    const contexts = this.#document.get("contexts");
    if (contexts !== undefined && contexts !== null && !isSeq(contexts)) {
      throw this.#invalid("has contexts that are not a list");
    }
  }

  /** Every context, in the order of the file. */
  contexts(): ContextEntry[] {
    return this.#maps().map((map, index) => this.#entry(map, index));
  }

  context(name: string): ContextEntry | undefined {
    return this.contexts().find((context) => context.name === name);
  }

  get currentContext(): string | undefined {
    const name: unknown = this.#document.get("currentContext");
    return typeof name === "string" && name !== "" ? name : undefined;
  }

  set currentContext(name: string | undefined) {
    if (name === undefined) this.#document.delete("currentContext");
    else this.#document.set("currentContext", name);
  }

  /** Adds the context, or gives the one of this name other values. */
  put(entry: ContextEntry): void {
    const map = this.#find(entry.name) ?? this.#added();
    const { name, server, caPem, token, tokenFile, kubernetes } = entry;
    for (const [field, value] of Object.entries({ name, server, caPem, token, tokenFile, kubernetes })) {
      if (value === undefined) map.delete(field);
      else map.set(field, typeof value === "object" ? this.#document.createNode(value) : value);
    }
  }

  rename(from: string, to: string): void {
    this.#find(from)?.set("name", to);
    if (this.currentContext === from) this.currentContext = to;
  }

  remove(name: string): void {
    const index = this.#maps().findIndex((map) => map.get("name") === name);
    if (index >= 0) this.#document.deleteIn(["contexts", index]);
    if (this.currentContext === name) this.currentContext = undefined;
  }

  toString(): string {
    return this.#document.toString({ lineWidth: 0 });
  }

  #maps(): YAMLMap[] {
    const contexts = this.#document.get("contexts");
    const items: unknown[] = isSeq(contexts) ? contexts.items : [];
    return items.map((item, index) => {
      if (isMap(item)) return item;
      throw this.#invalid(`has a context that is not a map (contexts[${index}])`);
    });
  }

  #find(name: string): YAMLMap | undefined {
    return this.#maps().find((map) => map.get("name") === name);
  }

  #added(): YAMLMap {
    const map = new YAMLMap();
    if (!isSeq(this.#document.get("contexts"))) this.#document.set("contexts", this.#document.createNode([]));
    this.#document.addIn(["contexts"], map);
    return map;
  }

  #entry(map: YAMLMap, index: number): ContextEntry {
    const text = (field: string): string | undefined => {
      const value: unknown = map.get(field);
      if (value === undefined || value === null) return undefined;
      if (typeof value === "string") return value;
      throw this.#invalid(`has a context whose ${field} is not a text (contexts[${index}].${field})`);
    };
    const [name, server] = [text("name"), text("server")];
    if (name === undefined || !contextNamePattern.test(name)) {
      throw this.#invalid(`has a context without a usable name (contexts[${index}].name)`);
    }
    if (server === undefined)
      throw this.#invalid(`has a context without a server (contexts[${index}].server)`);
    const kubernetes = this.#way(map.get("kubernetes"), index);
    return {
      name,
      server,
      caPem: text("caPem"),
      token: text("token"),
      tokenFile: text("tokenFile"),
      ...(kubernetes === undefined ? {} : { kubernetes }),
    };
  }

  #way(value: unknown, index: number): KubernetesWay | undefined {
    if (value === undefined || value === null) return undefined;
    const text = (field: string): string | undefined => {
      const given: unknown = isMap(value) ? value.get(field) : undefined;
      return typeof given === "string" && given !== "" ? given : undefined;
    };
    const [kubeconfig, namespace, service] = [text("kubeconfig"), text("namespace"), text("service")];
    if (kubeconfig === undefined || namespace === undefined || service === undefined) {
      throw this.#invalid(
        `has a context whose kubernetes has not kubeconfig, namespace and service (contexts[${index}].kubernetes)`,
      );
    }
    const context = text("context");
    return { kubeconfig, namespace, service, ...(context === undefined ? {} : { context }) };
  }

  #invalid(problem: string): BowlineError {
    return new BowlineError(
      "ConfigFileInvalid",
      `${this.#path} ${problem}; correct it, or move it away and log in again.`,
    );
  }
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0]?.replace(/:$/, "") ?? "";
}
