import { GitError } from "../model/git-error.ts";

/** A branch, a tag or another name, and the object that it has. */
export interface GitRef {
  readonly name: string;
  readonly id: string;
  /** Of a tag with an object of its own: the commit that it is for. */
  readonly peeled?: string;
  /** Of a name that stands for another, such as HEAD. */
  readonly target?: string;
}

export interface RefListOptions {
  readonly prefixes: readonly string[];
  readonly maxRefs: number;
  readonly url: string;
}

const objectId = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u;
const longestName = 4_096;
const peeledMark = "^{}";

/** Collects refs as they come, within bounds, and drops those that nobody asked for. */
export class RefList {
  readonly #options: RefListOptions;
  readonly #refs = new Map<string, GitRef>();
  #seen = 0;

  constructor(options: RefListOptions) {
    this.#options = options;
  }

  add(ref: GitRef): void {
    const { maxRefs, url } = this.#options;
    this.#seen += 1;
    if (this.#seen > maxRefs) {
      throw new GitError(
        "TooLarge",
        `${url} has more than ${maxRefs} branches and tags that match; remove old ones, or ask for fewer.`,
        { details: { limit: maxRefs } },
      );
    }
    const ids = [ref.id, ref.peeled ?? ref.id];
    const isBad = ref.name.length > longestName || /[\s\p{Cc}]/u.test(ref.name) || ref.name === "";
    if (isBad || !ids.every((id) => objectId.test(id))) throw invalid(url);
    if (this.#isWanted(ref.name)) this.#refs.set(ref.name, ref);
  }

  /** As servers without protocol v2 tell it: a line of its own, after the tag's. */
  addLine(id: string, name: string): void {
    if (!name.endsWith(peeledMark)) return this.add({ id, name });
    if (!objectId.test(id)) throw invalid(this.#options.url);
    const tag = this.#refs.get(name.slice(0, -peeledMark.length));
    if (tag !== undefined) this.#refs.set(tag.name, { ...tag, peeled: id });
  }

  setTarget(name: string, target: string): void {
    const ref = this.#refs.get(name);
    if (ref !== undefined) this.#refs.set(name, { ...ref, target });
  }

  refs(): GitRef[] {
    return [...this.#refs.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  #isWanted(name: string): boolean {
    const { prefixes } = this.#options;
    return prefixes.length === 0 || prefixes.some((prefix) => name.startsWith(prefix));
  }
}

export function invalid(url: string): GitError {
  return new GitError("ResponseInvalid", `The answer of ${url} is not one that git understands.`);
}

/** The prefixes to ask for so that `resolveRef` can tell which commit a name means. */
export function refPrefixes(ref: string): string[] {
  if (objectId.test(ref)) return [];
  return ref === "HEAD" || ref.startsWith("refs/") ? [ref] : [`refs/heads/${ref}`, `refs/tags/${ref}`];
}

export interface ResolvedRef {
  /** Full name; undefined for a commit that was named by its id. */
  readonly name: string | undefined;
  readonly commit: string;
  /** Of a tag with an object of its own. */
  readonly tagId?: string;
}

/** The commit that a branch, a tag, a full name or an id means. A name that means two commits is refused. */
export function resolveRef(refs: readonly GitRef[], ref: string): ResolvedRef {
  if (objectId.test(ref)) return { name: undefined, commit: ref };
  const names = refPrefixes(ref);
  const found = refs.filter(({ name }) => names.includes(name));
  const [first, second] = found.map(resolved);
  if (first === undefined) {
    throw new GitError("RefNotFound", `The repository has no branch or tag "${ref}"; check the ref.`, {
      details: { ref },
    });
  }
  if (second === undefined || second.commit === first.commit) return first;
  throw new GitError(
    "RefAmbiguous",
    `The repository has a branch and a tag "${ref}" with different commits; write refs/heads/${ref} or refs/tags/${ref}.`,
    { details: { ref } },
  );
}

function resolved({ name, id, peeled }: GitRef): ResolvedRef {
  return peeled === undefined ? { name, commit: id } : { name, commit: peeled, tagId: id };
}
