import { cp, rm } from "node:fs/promises";
import { join } from "node:path";

import { createTempFolder } from "@bowline/test-services";
import { TestAuthority } from "@bowline/test-services/certificates";
import { GitHttpServer, TestRepository } from "@bowline/test-services/git";

import { ask } from "../tunnel/ask.ts";
import type { ServerTarget } from "../tunnel/product-server.ts";

/** Secret of the webhook, which the bench signs with. */
export const hookToken = "bench-webhook-token";

/** Repositories behind `git http-backend` with TLS. */
export class GitStage implements AsyncDisposable {
  readonly repository: TestRepository;
  readonly server: GitHttpServer;
  readonly #folder: string;
  readonly #caPem: string;
  readonly #owned: AsyncDisposable;

  static async start(): Promise<GitStage> {
    await using starting = new AsyncDisposableStack();
    const folder = starting.use(await createTempFolder("bench-git")).path;
    const repository = await TestRepository.create(folder);
    await rm(join(repository.folder, "hooks"), { recursive: true, force: true });
    const authority = await TestAuthority.create();
    const tls = await authority.issue({ commonName: "server" });
    const server = starting.use(await GitHttpServer.start({ folder, tls }));
    return new GitStage({ repository, server, folder, caPem: authority.cert, owned: starting.move() });
  }

  private constructor(parts: {
    readonly repository: TestRepository;
    readonly server: GitHttpServer;
    readonly folder: string;
    readonly caPem: string;
    readonly owned: AsyncDisposable;
  }) {
    this.repository = parts.repository;
    this.server = parts.server;
    this.#folder = parts.folder;
    this.#caPem = parts.caPem;
    this.#owned = parts.owned;
  }

  async addRepository(name: string): Promise<{ readonly repository: TestRepository; readonly url: string }> {
    const repository = await TestRepository.create(this.#folder, name);
    return { repository, url: this.server.url(name) };
  }

  /** Copies of the repository as it is now, under names of their own. */
  async copies(count: number): Promise<string[]> {
    const names = Array.from({ length: count }, (_, index) => `copy-${index}.git`);
    for (const name of names) {
      await cp(this.repository.folder, join(this.#folder, name), { recursive: true });
    }
    return names.map((name) => this.server.url(name));
  }

  /** What the server needs to read them, and to be told of pushes. */
  async introduceTo(api: ServerTarget): Promise<void> {
    const path = "/api/v1/credentials";
    const data = { caPem: this.#caPem };
    await ask(api, {
      method: "POST",
      path,
      body: { metadata: { name: "git" }, spec: { type: "tls", hosts: ["127.0.0.1"], data } },
    });
    await ask(api, {
      method: "POST",
      path,
      body: { metadata: { name: "hook" }, spec: { type: "token", data: { token: hookToken } } },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#owned[Symbol.asyncDispose]();
  }
}
