import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { fastImportCommit, type TestFiles } from "./fast-import.ts";
import { runGit } from "./run-git.ts";
import type { SigningKey } from "./signing-keys.ts";

export interface CommitOptions {
  /** Written over those of the commit before; null removes one. */
  readonly files: TestFiles;
  /** Default `main`. */
  readonly branch?: string;
  readonly message?: string;
  readonly sign?: SigningKey;
  /** Begins a history of its own, as after a forced push. */
  readonly orphan?: boolean;
  /** The date in it; a minute after the one before by default. */
  readonly atMs?: number;
}

export interface TagOptions {
  readonly commit: string;
  /** Left out: a tag without an object of its own. */
  readonly message?: string;
  readonly sign?: SigningKey;
}

/** Each commit is a minute after the one before, from a fixed time on, so that ids are the same in every run. */
const firstCommitS = 1_700_000_000;
const betweenCommitsS = 60;

/** A bare repository on disk that a test writes commits into. */
export class TestRepository {
  readonly folder: string;
  #commits = 0;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** It allows filters and bare ids, as the large hosts do; `configure` takes that back. */
  static async create(
    parent: string,
    name = "repository.git",
    format: "sha1" | "sha256" = "sha1",
  ): Promise<TestRepository> {
    const folder = join(parent, name);
    await mkdir(folder, { recursive: true });
    const repository = new TestRepository(folder);
    await repository.git("init", "--quiet", "--bare", "--initial-branch=main", `--object-format=${format}`);
    await repository.configure("uploadpack.allowFilter", "true");
    await repository.configure("uploadpack.allowAnySHA1InWant", "true");
    return repository;
  }

  git(...args: readonly string[]): Promise<string> {
    return runGit(args, { folder: this.folder });
  }

  async configure(key: string, value: string): Promise<void> {
    await this.git("config", key, value);
  }

  /** The id of the new commit. */
  async commit(options: CommitOptions): Promise<string> {
    const { files, branch = "main", message = "change", sign, orphan = false } = options;
    const ref = `refs/heads/${branch}`;
    const before = orphan ? "" : await this.#idOf(ref);
    const usualS = firstCommitS + this.#commits++ * betweenCommitsS;
    const time = `${options.atMs === undefined ? usualS : Math.floor(options.atMs / 1_000)} +0000`;
    // On a ref of its own: fast-import would refuse to move a branch to a history that is not its own.
    const made = "refs/made/commit";
    await this.#forget(made);
    await runGit(["fast-import", "--quiet", "--force"], {
      folder: this.folder,
      input: fastImportCommit({ ref: made, before, time, message, files }),
    });
    const plain = await this.git("rev-parse", made);
    await this.#forget(made);
    const id = sign === undefined ? plain : await this.#signed(plain, { before, time, message, sign });
    await this.git("update-ref", ref, id);
    return id;
  }

  /** The id that the tag's name has: of its object, or of the commit. */
  async tag(name: string, { commit, message, sign }: TagOptions): Promise<string> {
    const signing = sign === undefined ? [] : ["-s"];
    const body = message === undefined ? [] : [...signing, "-m", message];
    await runGit([...(sign?.settings ?? []), "tag", "--force", ...body, name, commit], {
      folder: this.folder,
      env: sign?.env ?? {},
    });
    return this.git("rev-parse", `refs/tags/${name}`);
  }

  /** Adds commits that change nothing to `main`, and returns the last. */
  async grow(commits: number): Promise<string> {
    const ref = "refs/heads/main";
    const before = await this.#idOf(ref);
    const made = Array.from({ length: commits }, (_, at) => {
      const time = `${firstCommitS + this.#commits++ * betweenCommitsS} +0000`;
      return fastImportCommit({ ref, before: at === 0 ? before : "", time, message: "empty", files: {} });
    });
    await runGit(["fast-import", "--quiet"], { folder: this.folder, input: Buffer.concat(made) });
    return this.#idOf(ref);
  }

  /** Writes an object as it is, right or wrong, and the branch `forged` to it. */
  async forge(type: "commit" | "tag", text: string): Promise<string> {
    const id = await runGit(["hash-object", "-t", type, "-w", "--stdin", "--literally"], {
      folder: this.folder,
      input: `${text}\n`,
    });
    await this.git("update-ref", "refs/heads/forged", id);
    return id;
  }

  async #signed(
    plain: string,
    { before, time, message, sign }: { before: string; time: string; message: string; sign: SigningKey },
  ): Promise<string> {
    const parents = before === "" ? [] : ["-p", before];
    const args = [...sign.settings, "commit-tree", "-S", ...parents, "-m", message, `${plain}^{tree}`];
    const env = { ...sign.env, GIT_AUTHOR_DATE: time, GIT_COMMITTER_DATE: time };
    return runGit(args, { folder: this.folder, env });
  }

  async #idOf(ref: string): Promise<string> {
    return this.git("for-each-ref", "--format=%(objectname)", ref);
  }

  async #forget(ref: string): Promise<void> {
    await this.git("update-ref", "-d", ref);
  }
}
