import { open, readFile, rm, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";

import { BowlineError, hasCode, makeFolder } from "@bowline/core";
import { isMap, isSeq, parseDocument, YAMLSeq, type Document, type YAMLMap } from "yaml";

import type { Environment } from "../command/command-context.ts";
import { replaceConfigFile } from "../connection/replace-config-file.ts";
import type { KubeconfigEntries } from "./kubeconfig-entries.ts";

const maxFileBytes = 64 * 1024 * 1024;

/**
 * The file that kubectl would put something new into: of those that KUBECONFIG names the first that exists, or else the
 * last; without KUBECONFIG the one in the home folder.
 */
export async function kubeconfigPath(environment: Environment): Promise<string> {
  const named = (environment["KUBECONFIG"] ?? "").split(delimiter).filter((path) => path !== "");
  for (const path of named) if (await exists(path)) return path;
  return named.at(-1) ?? join(environment["HOME"] ?? homedir(), ".kube", "config");
}

/** Reads the file, changes it and writes it back while kubectl keeps away from it. A file that is missing is empty. */
export async function changeKubeconfig<T>(
  path: string,
  change: (document: KubeconfigDocument) => T,
): Promise<T> {
  await using _lock = await lock(path);
  const before = await read(path);
  const document = new KubeconfigDocument(before, path);
  const result = change(document);
  const after = document.toString();
  if (after !== before) await replaceConfigFile(path, after).catch(unusable(path, "written"));
  return result;
}

/** `kubectl config` makes a file of this name while it writes, and does not write while there is one. */
async function lock(path: string): Promise<AsyncDisposable> {
  const lockPath = `${path}.lock`;
  try {
    makeFolder(dirname(path));
    await (await open(lockPath, "wx", 0o600)).close();
  } catch (cause) {
    if (!hasCode(cause, "EEXIST")) return unusable(path, "written")(cause);
    throw new BowlineError(
      "Conflict",
      `Another program is changing ${path}; try again, or remove ${lockPath} if there is none.`,
      { cause },
    );
  }
  return { [Symbol.asyncDispose]: () => rm(lockPath, { force: true }) };
}

async function read(path: string): Promise<string> {
  try {
    if ((await stat(path)).size <= maxFileBytes) return await readFile(path, "utf8");
  } catch (thrown) {
    return hasCode(thrown, "ENOENT") ? "" : unusable(path, "read")(thrown);
  }
  throw new BowlineError("KubeconfigInvalid", `${path} is too long to be a kubeconfig.`);
}

function unusable(path: string, done: "read" | "written"): (cause: unknown) => never {
  return (cause) => {
    if (cause instanceof BowlineError) throw cause;
    throw new BowlineError(
      "KubeconfigUnreadable",
      `${path} cannot be ${done}; check its folder and permissions.`,
      { cause },
    );
  };
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

type MergeOutcome = "added" | "updated" | "unchanged";

const lists = ["clusters", "users", "contexts"] as const;

/**
 * A kubeconfig that belongs to somebody else. Works on the document itself, so that everything that is not ours stays
 * as it is, comments and order among it.
 */
export class KubeconfigDocument {
  readonly #document: Document;
  readonly #path: string;

  /** `KubeconfigInvalid` when the text is no kubeconfig. */
  constructor(text: string, path: string) {
    this.#path = path;
    this.#document = parseDocument(text, { uniqueKeys: true });
    const [error] = this.#document.errors;
    if (error !== undefined)
      throw this.#invalid(`is not valid YAML: ${error.message.split("\n", 1)[0]?.replace(/:$/u, "")}`);
    this.#document.contents ??= this.#document.createNode(emptyConfig);
    if (!isMap(this.#document.contents)) throw this.#invalid("is not a map");
    for (const list of lists) {
      const value = this.#document.get(list);
      if (value !== undefined && value !== null && !isSeq(value))
        throw this.#invalid(`has ${list} that are not a list`);
    }
  }

  /** Puts these entries in the place of those with the same names. Tells what became of each context. */
  merge(entries: KubeconfigEntries): ReadonlyMap<string, MergeOutcome> {
    const clusters = new Map(entries.clusters.map((entry) => [entry.name, this.#put("clusters", entry)]));
    const users = new Map(entries.users.map((entry) => [entry.name, this.#put("users", entry)]));
    return new Map(
      entries.contexts.map((entry) => {
        const { cluster, user } = entry.context;
        const own = this.#put("contexts", entry);
        const isChanged = [clusters.get(cluster), users.get(user)].some((outcome) => outcome !== "unchanged");
        return [entry.name, own === "unchanged" && isChanged ? "updated" : own];
      }),
    );
  }

  /** Makes this the current context if there is none: nobody's kubectl is sent to another cluster by a merge. */
  proposeContext(name: string): void {
    const current: unknown = this.#document.get("current-context");
    if (typeof current !== "string" || current === "") this.#document.set("current-context", name);
  }

  toString(): string {
    return this.#document.toString({ lineWidth: 0 });
  }

  #put(list: (typeof lists)[number], entry: { readonly name: string }): MergeOutcome {
    const items = this.#list(list);
    const index = items.items.findIndex((item) => isMap(item) && item.get("name") === entry.name);
    const known: unknown = items.items[index];
    if (!isMap(known)) {
      // A list that was written as `[]` would stay on one line.
      if (items.items.length === 0) items.flow = false;
      items.add(this.#document.createNode(entry));
      return "added";
    }
    if (isSame(known, this.#document, entry)) return "unchanged";
    for (const [field, value] of Object.entries(entry)) known.set(field, this.#document.createNode(value));
    return "updated";
  }

  #list(name: (typeof lists)[number]): YAMLSeq {
    const value = this.#document.get(name);
    if (isSeq(value)) return value;
    const list = new YAMLSeq();
    this.#document.set(name, list);
    return list;
  }

  #invalid(problem: string): BowlineError {
    return new BowlineError(
      "KubeconfigInvalid",
      `${this.#path} ${problem}; correct it, or set KUBECONFIG to another file.`,
    );
  }
}

const emptyConfig = { apiVersion: "v1", kind: "Config" };

function isSame(known: YAMLMap, document: Document, entry: object): boolean {
  return JSON.stringify(known.toJS(document)) === JSON.stringify(entry);
}
