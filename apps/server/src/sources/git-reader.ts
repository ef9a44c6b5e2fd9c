import type { GitSource } from "@bowline/api";
import { GitError, resolveRef, type GitCache, type GitCredential, type VerificationKey } from "@bowline/git";
import type { SourceFile } from "@bowline/render";
import type { ObjectStore } from "@bowline/store";

import { gitCredential } from "./git-credential.ts";
import { readFolder } from "./read-folder.ts";
import type { SeenRef, SharedRefs } from "./shared-refs.ts";

export interface GitReaderOptions {
  readonly refs: SharedRefs;
  readonly cache: Pick<
    GitCache,
    "committedAtMs" | "fetchCommit" | "readTree" | "requireDescendant" | "verify"
  >;
  readonly objects: Pick<ObjectStore, "reveal">;
}

/** The files of a source at one commit. */
export interface SourceFiles {
  readonly commit: string;
  /** The date in the commit. */
  readonly committedAtMs: number;
  /** Who signed it, where signatures are asked for. */
  readonly signer: string | undefined;
  readonly files: readonly SourceFile[];
  /** The folder among them that the source is about. */
  readonly folder: string;
}

interface ReadOptions {
  /** The commit that was used before. */
  readonly before: string | undefined;
  readonly signal: AbortSignal;
}

interface Repository {
  readonly url: string;
  readonly credential: GitCredential | undefined;
  readonly signal: AbortSignal;
}

/** Reads sources in git: which commit they have now, and the files of it. All it throws about a source is `GitError`. */
export class GitReader {
  readonly #options: GitReaderOptions;

  constructor(options: GitReaderOptions) {
    this.#options = options;
  }

  /** The commit that the source's ref has now. */
  async look(source: Pick<GitSource, "url" | "ref" | "credential">, signal: AbortSignal): Promise<SeenRef> {
    const credential = await gitCredential(this.#options.objects, source.credential);
    const { url, ref } = source;
    const refs = await this.#options.refs.list({ url, credential, refs: [ref], signal });
    return resolveRef(refs, ref);
  }

  /** Fetches the commit, makes sure that it may be used, and reads its files. */
  async read(source: GitSource, seen: SeenRef, { before, signal }: ReadOptions): Promise<SourceFiles> {
    const { cache, objects } = this.#options;
    const credential = await gitCredential(objects, source.credential);
    const repository = { url: source.url, credential, signal };
    const { commit, name: refName } = seen;
    await cache.fetchCommit({ ...repository, commit, refName });
    if (source.history === "fastForwardOnly" && before !== undefined && before !== commit) {
      await cache.requireDescendant({ ...repository, older: before, newer: commit, refName });
    }
    const signer = await this.#signerOf(source, seen, repository);
    const committedAtMs = await cache.committedAtMs({ ...repository, commit });
    return {
      commit,
      committedAtMs,
      signer,
      ...(await readFolder(cache, { ...repository, commit, path: source.path })),
    };
  }

  async #signerOf(
    { verify, ref }: GitSource,
    { commit, name = "", tagId }: SeenRef,
    repository: Repository,
  ): Promise<string | undefined> {
    if (verify === undefined) return undefined;
    const keys = verify.keys.map(verificationKey);
    const tags = "refs/tags/";
    if (verify.mode === "tag" && !name.startsWith(tags)) {
      throw new GitError("NotVerified", `${ref} is no tag, and only signed tags are taken; name a tag.`);
    }
    // A tag without an object of its own is the commit itself, which is then found to be no signed tag.
    const tag = verify.mode === "tag" ? { id: tagId ?? commit, name: name.slice(tags.length) } : undefined;
    const found = await this.#options.cache.verify({ ...repository, commit, tag, keys });
    if (!found.verified) throw found.error;
    return found.signer;
  }
}

type DeclaredKey = NonNullable<GitSource["verify"]>["keys"][number];

function verificationKey({ publicKey, signer, expiresAt }: DeclaredKey): VerificationKey {
  if (publicKey.startsWith("-----BEGIN PGP")) return { type: "gpg", publicKey };
  const expiresAtMs = expiresAt === undefined ? undefined : Date.parse(expiresAt);
  return { type: "ssh", publicKey, principal: signer, expiresAtMs };
}
