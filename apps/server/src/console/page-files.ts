import { readdir, readFile, stat } from "node:fs/promises";
import { extname, join } from "node:path";

import { hasCode } from "@bowline/core";

/** A file of the page, in one of the forms that were made when the page was built. */
export interface PageFile {
  readonly path: string;
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
  readonly #folder: string;
  #page: BuiltPage | undefined;

  constructor(folder: string) {
    this.#folder = folder;
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
      path: join(this.#folder, "assets", `${name}${made?.ending ?? ""}`),
      size: made === undefined ? plainSize : (files.get(`${name}${made.ending}`) ?? 0),
      mediaType: mediaTypes[extname(name)] ?? "application/octet-stream",
      encoding: made?.encoding,
      etag: `"${name}${made?.ending ?? ""}"`,
    };
  }

  async #current(): Promise<BuiltPage | undefined> {
    try {
      const { mtimeMs } = await stat(this.#shellPath);
      if (this.#page?.builtAtMs !== mtimeMs) this.#page = await this.#read(mtimeMs);
    } catch (error) {
      if (!hasCode(error, "ENOENT", "ENOTDIR")) throw error;
      this.#page = undefined;
    }
    return this.#page;
  }

  async #read(builtAtMs: number): Promise<BuiltPage> {
    const folder = join(this.#folder, "assets");
    const entries = await readdir(folder, { withFileTypes: true });
    const files = new Map<string, number>();
    for (const entry of entries) {
      if (entry.isFile()) files.set(entry.name, (await stat(join(folder, entry.name))).size);
    }
    return { builtAtMs, shell: await readFile(this.#shellPath, "utf8"), files };
  }

  get #shellPath(): string {
    return join(this.#folder, "index.html");
  }
}

/** Whether an Accept-Encoding has the encoding, and not only to refuse it. */
function accepts(header: string, encoding: string): boolean {
  return header.split(",").some((item) => {
    const [name = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
    return name === encoding && !parameters.some((parameter) => /^q=0(?:\.0*)?$/u.test(parameter));
  });
}
