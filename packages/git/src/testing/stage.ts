import { join } from "node:path";

import { createTempFolder } from "@bowline/test-services";
import { GitHttpServer, TestRepository, type GitHttpOptions } from "@bowline/test-services/git";

/** A repository with one commit behind a server, and a folder for whoever reads it. */
export interface Stage extends AsyncDisposable {
  readonly folder: string;
  readonly workFolder: string;
  readonly repository: TestRepository;
  readonly server: GitHttpServer;
  readonly url: string;
  /** The first commit on `main`. */
  readonly first: string;
}

export async function createStage(tls?: GitHttpOptions["tls"]): Promise<Stage> {
  await using starting = new AsyncDisposableStack();
  const folder = starting.use(await createTempFolder("git")).path;
  const served = join(folder, "served");
  const repository = await TestRepository.create(served);
  const first = await repository.commit({
    files: { "app/web.yaml": "kind: ConfigMap\n", "README.md": "# app\n" },
  });
  const options = tls === undefined ? { folder: served } : { folder: served, tls };
  const server = starting.use(await GitHttpServer.start(options));
  const owned = starting.move();
  return {
    folder,
    workFolder: join(folder, "work"),
    repository,
    server,
    url: server.url(),
    first,

    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
