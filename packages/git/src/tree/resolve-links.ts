import { modes, tooLarge, unsafe, type TreeEntry } from "./tree-entry.ts";

const maxDepth = 8;

/**
 * The files of a tree with each symbolic link replaced by what it leads to, a folder with all that is below it. Links
 * that lead out of the tree, in a circle or nowhere are errors.
 *
 * `targets` has the text of each link by its path.
 */
export function resolveLinks(
  entries: readonly TreeEntry[],
  targets: ReadonlyMap<string, string>,
  maxFiles: number,
): TreeEntry[] {
  return new LinkResolver(entries, targets, maxFiles).files();
}

class LinkResolver {
  readonly #entries: readonly TreeEntry[];
  readonly #byPath: ReadonlyMap<string, TreeEntry>;
  readonly #folders = new Set<string>([""]);
  readonly #targets: ReadonlyMap<string, string>;
  readonly #maxFiles: number;
  readonly #found: TreeEntry[] = [];
  #steps = 0;

  constructor(entries: readonly TreeEntry[], targets: ReadonlyMap<string, string>, maxFiles: number) {
    this.#entries = entries;
    this.#byPath = new Map(entries.map((entry) => [entry.path, entry]));
    this.#targets = targets;
    this.#maxFiles = maxFiles;
    for (const { path } of entries) {
      for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
        this.#folders.add(path.slice(0, end));
      }
    }
  }

  files(): TreeEntry[] {
    for (const entry of this.#entries) this.#add(entry, entry.path, 0);
    return this.#found;
  }

  /** `path` is where the entry appears, which below a link is not where it is. */
  #add(entry: TreeEntry, path: string, depth: number): void {
    // Links to folders full of links multiply without a single file. What is there by itself was counted before.
    if (depth > 0) this.#steps += 1;
    if (this.#steps > this.#maxFiles) {
      throw tooLarge(path, { what: "files, with those that links lead to", limit: this.#maxFiles });
    }
    if (entry.mode !== modes.link) {
      this.#found.push({ ...entry, path });
      return;
    }
    if (depth >= maxDepth) throw circle(path);
    const target = this.#locate(entry.path);
    const file = this.#byPath.get(target);
    if (file !== undefined) this.#found.push({ ...file, path });
    else this.#addFolder({ link: entry.path, target, path, depth });
  }

  #addFolder(at: { link: string; target: string; path: string; depth: number }): void {
    const { link, target, path, depth } = at;
    const prefix = target === "" ? "" : `${target}/`;
    if (link.startsWith(prefix)) throw circle(path);
    for (const entry of this.#entries) {
      if (!entry.path.startsWith(prefix)) continue;
      this.#add(entry, `${path}/${entry.path.slice(prefix.length)}`, depth + 1);
    }
  }

  /** The path of the file or folder that a link leads to in the end, walked part by part as a file system does. */
  #locate(link: string): string {
    const stack = link.split("/").slice(0, -1);
    let open = this.#partsOf(link, link);
    let followed = 1;
    for (let part = open.shift(); part !== undefined; part = open.shift()) {
      if (part === "..") {
        if (stack.pop() === undefined) throw outside(link);
        continue;
      }
      stack.push(part);
      const path = stack.join("/");
      const entry = this.#byPath.get(path);
      if (entry?.mode === modes.link) {
        followed += 1;
        if (followed > maxDepth) throw circle(link);
        stack.pop();
        open = [...this.#partsOf(path, link), ...open];
      } else if (entry === undefined ? !this.#folders.has(path) : open.length > 0) {
        throw unsafe(link, "danglingLink", "is a link to something that is not there; remove it");
      }
    }
    return stack.join("/");
  }

  #partsOf(path: string, link: string): string[] {
    const target = this.#targets.get(path) ?? "";
    if (target.startsWith("/")) throw outside(link);
    return target.split("/").filter((part) => part !== "" && part !== ".");
  }
}

function outside(path: string): Error {
  return unsafe(path, "linkOutside", "is a link that leads out of the folder; put the file itself there");
}

function circle(path: string): Error {
  return unsafe(
    path,
    "linkLoop",
    `is a link that leads in a circle, or through more than ${maxDepth} others`,
  );
}
