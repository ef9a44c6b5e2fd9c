import { readdir, stat } from "node:fs/promises";
import { basename, extname } from "node:path";

import { filesInExecutable, hasCode, readOwnFile } from "@bowline/core";

/** A file of the page, in one of the forms that were made when the page was built. */
export interface PageFile {
  readonly url: URL;
  readonly size: number;
  readonly mediaType: string;
  readonly encoding: "br" | "gzip" | undefined;
  /** The name has a hash of the content, so that it stands for it. */
  readonly etag: string;
}

interface BuiltPage {
  /** Of `index.html`, which is written with every build. */
  readonly builtAtMs: number;
  readonly shell: string;
  /** The files in `assets`, with their sizes. */
  readonly files: ReadonlyMap<string, number>;
}

const mediaTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".map": "application/json; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};

const encodings = [
  { encoding: "br", ending: ".br" },
  { encoding: "gzip", ending: ".gz" },
] as const;

/** Stands in the shell where the nonce of an answer goes. */
const nonceMark = "__NONCE__";

/**
 * The page as it was built into a folder. Only files that were found in there are ever opened, by their exact name: no
 * address leads anywhere else. A new build is noticed.
 */
export class PageFiles {
  readonly #shell: URL;
  readonly #assets: URL;
  #page: BuiltPage | undefined;

  /** The address of a folder ends with a slash. */
  constructor(folder: URL) {
    this.#shell = new URL("index.html", folder);
    this.#assets = new URL("assets/", folder);
  }

  /** The page that loads everything else; undefined when there is none. */
  async shell(nonce: string): Promise<string | undefined> {
    const page = await this.#current();
    return page?.shell.replaceAll(nonceMark, nonce);
  }

  /** A file of `assets` in the smallest form that a client accepts; undefined when there is none. */
  async find(name: string, acceptEncoding: string): Promise<PageFile | undefined> {
    if (this.#page?.files.has(name) !== true) await this.#current();
    const files = this.#page?.files;
    const plainSize = files?.get(name);
    if (files === undefined || plainSize === undefined) return undefined;
    const made = encodings.find(
      ({ encoding, ending }) => files.has(`${name}${ending}`) && accepts(acceptEncoding, encoding),
    );
    return {
      url: new URL(`./${encodeURIComponent(`${name}${made?.ending ?? ""}`)}`, this.#assets),
      size: made === undefined ? plainSize : (files.get(`${name}${made.ending}`) ?? 0),
      mediaType: mediaTypes[extname(name)] ?? "application/octet-stream",
      encoding: made?.encoding,
      etag: `"${name}${made?.ending ?? ""}"`,
    };
  }

  async #current(): Promise<BuiltPage | undefined> {
    try {
      // In an executable there is nothing that changes.
      const builtAtMs = this.#shell.protocol === "file:" ? (await stat(this.#shell)).mtimeMs : 0;
      if (this.#page?.builtAtMs !== builtAtMs) this.#page = await this.#read(builtAtMs);
    } catch (error) {
      if (!hasCode(error, "ENOENT", "ENOTDIR")) throw error;
      this.#page = undefined;
    }
    return this.#page;
  }

  async #read(builtAtMs: number): Promise<BuiltPage> {
    const files = new Map<string, number>();
    const inside = filesInExecutable(this.#assets);
    for (const url of inside ?? []) files.set(basename(url.pathname), (await readOwnFile(url)).byteLength);
    const entries = inside === undefined ? await readdir(this.#assets, { withFileTypes: true }) : [];
    for (const entry of entries) {
      if (entry.isFile()) files.set(entry.name, (await stat(new URL(entry.name, this.#assets))).size);
    }
    return { builtAtMs, shell: String(await readOwnFile(this.#shell)), files };
  }
}

/** Whether an Accept-Encoding has the encoding, and not only to refuse it. */
function accepts(header: string, encoding: string): boolean {
  return header.split(",").some((item) => {
    const [name = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
    return name === encoding && !parameters.some((parameter) => /^q=0(?:\.0*)?$/u.test(parameter));
  });
}
