import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { createTempFolder, freePort, ManagedProcess } from "@bowline/test-services";

/** Series that are no longer written are gone after this time, also when nobody could say that they ended. */
const lookback = "10s";

/** A Prometheus outside of the cluster that collectors write to. */
export class Receiver implements AsyncDisposable {
  readonly #url: string;
  readonly #owned: AsyncDisposableStack;

  private constructor(url: string, owned: AsyncDisposableStack) {
    this.#url = url;
    this.#owned = owned;
  }

  static async start(prometheus: string, hostAddress: string): Promise<Receiver> {
    await using starting = new AsyncDisposableStack();
    const { path } = starting.use(await createTempFolder("receiver"));
    const config = join(path, "prometheus.yml");
    await writeFile(config, "{}\n");
    const address = `${hostAddress}:${await freePort()}`;
    starting.use(
      await ManagedProcess.start({
        name: "receiver",
        command: prometheus,
        args: [
          `--config.file=${config}`,
          `--storage.tsdb.path=${join(path, "data")}`,
          `--web.listen-address=${address}`,
          `--query.lookback-delta=${lookback}`,
          "--web.enable-remote-write-receiver",
        ],
        isReady: async () => (await fetch(`http://${address}/-/ready`)).ok,
      }),
    );
    return new Receiver(`http://${address}`, starting.move());
  }

  get writeUrl(): string {
    return `${this.#url}/api/v1/write`;
  }

  /** Samples that a query finds now: the labels of each series and its `value`. */
  async series(query: string): Promise<Record<string, string>[]> {
    const answer = await fetch(`${this.#url}/api/v1/query?query=${encodeURIComponent(query)}`);
    const { data }: { data?: { result?: { metric: Record<string, string>; value: [number, string] }[] } } =
      JSON.parse(await answer.text());
    return (data?.result ?? []).map(({ metric, value }) => ({ ...metric, value: value[1] }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#owned.disposeAsync();
  }
}
