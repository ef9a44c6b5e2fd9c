import { join } from "node:path";

import { ConfigSource, Credential } from "@bowline/api";
import { createTempFolder } from "@bowline/test-services";
import { TestAuthority } from "@bowline/test-services/certificates";
import { GitHttpServer, TestRepository } from "@bowline/test-services/git";

import type { ConsoleServer } from "./console-server.ts";

/** A repository behind a server with TLS, from which a server of Bowline takes its configuration. */
export class GitStage implements AsyncDisposable {
  readonly repository: TestRepository;
  readonly url: string;
  readonly #caPem: string;
  readonly #owned: AsyncDisposableStack;

  static async open(): Promise<GitStage> {
    await using opening = new AsyncDisposableStack();
    const folder = opening.use(await createTempFolder("console-git")).path;
    const served = join(folder, "served");
    const repository = await TestRepository.create(served);
    const authority = await TestAuthority.create();
    const tls = await authority.issue({ commonName: "server" });
    const server = opening.use(await GitHttpServer.start({ folder: served, tls }));
    return new GitStage({ repository, url: server.url(), caPem: authority.cert }, opening.move());
  }

  private constructor(
    parts: Pick<GitStage, "repository" | "url"> & { readonly caPem: string },
    owned: AsyncDisposableStack,
  ) {
    this.repository = parts.repository;
    this.url = parts.url;
    this.#caPem = parts.caPem;
    this.#owned = owned;
  }

  /**
   * Makes it a source of configuration that deletes one object without asking. It is looked at once a day: whoever
   * wants more asks for it.
   */
  async follow({ admin }: Pick<ConsoleServer, "admin">, name: string): Promise<void> {
    await admin.apply(Credential, "git", {
      metadata: { name: "git" },
      spec: { type: "tls", hosts: ["127.0.0.1"], data: { caPem: this.#caPem } },
    });
    await admin.apply(ConfigSource, name, {
      metadata: { name },
      spec: {
        git: { url: this.url, ref: "main", path: ".", interval: "24h", credential: "git" },
        actsAs: "admin",
        pruneLimit: { count: 1, percent: 10 },
      },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#owned.disposeAsync();
  }
}
