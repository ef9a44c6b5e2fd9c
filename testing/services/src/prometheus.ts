import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { freePort } from "./free-port.ts";
import { ManagedProcess } from "./managed-process.ts";
import { requireProgram } from "./require-program.ts";
import { createTempFolder } from "./temp-folder.ts";
import { prometheusProgram } from "./test-programs.ts";

export interface PrometheusServer extends AsyncDisposable {
  readonly port: number;
  /** Idempotent: ends the process and removes its folder. */
  stop(): Promise<void>;
}

/** A Prometheus of its own on a free port of loopback, which scrapes itself every second. */
export async function startPrometheus(): Promise<PrometheusServer> {
  const binary = await requireProgram(prometheusProgram);
  await using starting = new AsyncDisposableStack();
  const folder = starting.use(await createTempFolder("prometheus")).path;
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  const configFile = join(folder, "prometheus.yml");
  const scrape = { job_name: "itself", static_configs: [{ targets: [address] }] };
  // JSON is YAML too.
  await writeFile(
    configFile,
    JSON.stringify({ global: { scrape_interval: "1s" }, scrape_configs: [scrape] }),
  );
  starting.use(
    await ManagedProcess.start({
      name: "prometheus",
      command: binary,
      args: [
        `--config.file=${configFile}`,
        `--storage.tsdb.path=${join(folder, "data")}`,
        `--web.listen-address=${address}`,
      ],
      isReady: async (signal) => (await fetch(`http://${address}/-/ready`, { signal })).ok,
    }),
  );
  const owned = starting.move();
  const stop = (): Promise<void> => owned.disposeAsync();
  return { port, stop, [Symbol.asyncDispose]: stop };
}
