import { GitError } from "../model/git-error.ts";
import { packet, type Packet } from "./packet-reader.ts";
import { invalid, RefList, type GitRef, type RefListOptions } from "./ref-list.ts";

/** What the first answer of a server says: that it can be asked for refs (v2), or the refs themselves (before). */
export type Advertisement =
  | { readonly version: 2; readonly objectFormat: string }
  | { readonly version: 0; readonly refs: readonly GitRef[] };

/** Reads the answer to `info/refs`, of any version of the protocol. */
export class AdvertisementReader {
  readonly #list: RefList;
  readonly #url: string;
  #version: 0 | 2 | undefined;
  #objectFormat = "sha1";
  #flushes = 0;
  #targets: [string, string][] = [];

  constructor(options: RefListOptions) {
    this.#list = new RefList(options);
    this.#url = options.url;
  }

  read(next: Packet): void {
    if (next === "flush") this.#flushes += 1;
    if (typeof next === "string") return;
    const line = textOf(next, this.#url);
    if (line.startsWith("# service=")) {
      // The flush behind it ends nothing.
      this.#flushes = -1;
    } else if (line === "version 2") this.#version = 2;
    else if (this.#version === 2) this.#readCapability(line);
    else if (line !== "version 1") this.#readRef(next, line);
  }

  end(): Advertisement {
    if (this.#flushes < 1) throw cutOff(this.#url);
    if (this.#version === 2) return { version: 2, objectFormat: this.#objectFormat };
    for (const [name, target] of this.#targets) this.#list.setTarget(name, target);
    return { version: 0, refs: this.#list.refs() };
  }

  #readCapability(line: string): void {
    if (line.startsWith("object-format=")) this.#objectFormat = line.slice("object-format=".length);
  }

  #readRef(bytes: Buffer, line: string): void {
    const end = bytes.indexOf(0);
    const [text = "", capabilities = ""] = end < 0 ? [line] : line.split("\0", 2);
    this.#version = 0;
    for (const capability of capabilities.split(" ")) {
      const [, name, target] = /^symref=([^:]+):(.+)$/u.exec(capability) ?? [];
      if (name !== undefined && target !== undefined) this.#targets.push([name, target]);
    }
    const space = text.indexOf(" ");
    const name = text.slice(space + 1);
    // An empty repository has a line for its capabilities only.
    if (name !== "capabilities^{}") this.#list.addLine(text.slice(0, space), name);
  }
}

/** The question for refs in protocol v2. */
export function lsRefsRequest(prefixes: readonly string[], objectFormat: string): string {
  const options = ["peel\n", "symrefs\n", ...prefixes.map((prefix) => `ref-prefix ${prefix}\n`)];
  return `${packet("command=ls-refs\n")}${packet(`object-format=${objectFormat}\n`)}0001${options
    .map((option) => packet(option))
    .join("")}0000`;
}

/** Reads the answer to `lsRefsRequest`. */
export class LsRefsReader {
  readonly #list: RefList;
  readonly #url: string;
  #ended = false;

  constructor(options: RefListOptions) {
    this.#list = new RefList(options);
    this.#url = options.url;
  }

  read(next: Packet): void {
    if (next === "flush") this.#ended = true;
    if (typeof next === "string") return;
    const [id = "", name = "", ...attributes] = textOf(next, this.#url).split(" ");
    const peeled = attribute(attributes, "peeled:");
    const target = attribute(attributes, "symref-target:");
    this.#list.add({
      name,
      id,
      ...(peeled === undefined ? {} : { peeled }),
      ...(target === undefined ? {} : { target }),
    });
  }

  end(): GitRef[] {
    if (!this.#ended) throw cutOff(this.#url);
    return this.#list.refs();
  }
}

function attribute(attributes: readonly string[], key: string): string | undefined {
  return attributes.find((each) => each.startsWith(key))?.slice(key.length);
}

/** Servers that refuse say why in a packet. */
function textOf(bytes: Buffer, url: string): string {
  const text = bytes.toString("utf8").replace(/\n$/u, "");
  if (!text.startsWith("ERR ")) return text;
  // Not quoted: it is the server's word, and anything may be in it.
  throw /not found|denied|exist/iu.test(text)
    ? new GitError(
        "RepositoryNotFound",
        `There is no repository at ${url}, or the credential may not see it.`,
      )
    : invalid(url);
}

export function cutOff(url: string): GitError {
  return new GitError("ResponseInvalid", `The answer of ${url} was cut off; Bowline tries again.`);
}
