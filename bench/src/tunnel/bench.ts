import { kubectlProgram, natsProgram, postgresProgram } from "@bowline/test-services/programs";

import type { Benchmark } from "../benchmark.ts";
import { measureApiServer } from "./measure-api-server.ts";
import { measureLinks } from "./measure-links.ts";
import { measureNginx } from "./measure-nginx.ts";
import { measureReplicas } from "./measure-replicas.ts";
import { measureStalled } from "./measure-stalled.ts";
import { nginxProgram, startNginx } from "./nginx.ts";
import type { Stage } from "./stage.ts";
import { summarize } from "./summarize.ts";
import { Ways } from "./ways.ts";

export const tunnelBenchmark: Benchmark = {
  description:
    "Requests of 1 KiB and transfers of 100 MB to nginx, which speaks TLS as API servers do, and to a real API server: direct, through a plain reverse proxy in Node, through `kubectl proxy`, and through Bowline's server and agent (TLS on, SQLite, audit and grants as always), also with a delay between the two, and with two replicas on the way (PostgreSQL, NATS).",
  needs: {
    programs: [nginxProgram, postgresProgram, natsProgram],
    neighbours: [kubectlProgram],
    apiServer: "neighbour",
  },
  async run(context) {
    await using nginx = await startNginx();
    await using ways = await Ways.start();
    const stage: Stage = { context, ways, load: ways.startProcess("load-process.ts") };
    const backend = context.plainBackend ? nginx.plain : nginx.tls;
    const { measured, bowline } = await measureNginx(stage, backend);
    const stalled = await measureStalled(stage, bowline);
    const links = await measureLinks(stage, backend);
    const replicas = await measureReplicas(stage, backend);
    const apiServer = await measureApiServer(stage);
    return summarize({ nginx: measured, stalled, links, replicas, apiServer });
  },
};
