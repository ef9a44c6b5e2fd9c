import { natsProgram, postgresProgram } from "@bowline/test-services/programs";

import type { Benchmark } from "../benchmark.ts";
import { measureLocal } from "./measure-local.ts";
import { measureMemory } from "./measure-memory.ts";
import { measureStart } from "./measure-start.ts";
import { measureUpgrade } from "./measure-upgrade.ts";
import { shipProgram } from "./shipped-program.ts";
import { summarize } from "./summarize.ts";

export const shipBenchmark: Benchmark = {
  description:
    "What is shipped: size of image and executable, time to the first answer, memory of server and agent at rest and after load, requests that a rolling upgrade of two servers loses, and `bowline up --local`.",
  needs: { programs: [postgresProgram, natsProgram] },
  parts: ["sizes", "start", "memory", "upgrade", "local"],
  async run(context) {
    const { parts, progress } = context;
    progress("image and executable are made");
    await using shipped = await shipProgram();
    return summarize({
      sizes: parts.has("sizes") ? shipped : undefined,
      start: parts.has("start") ? await measureStart(shipped, context) : undefined,
      memory: parts.has("memory") ? await measureMemory(shipped, context) : undefined,
      upgrade: parts.has("upgrade") ? await measureUpgrade(shipped, context) : undefined,
      upLocalSeconds: parts.has("local") ? await measureLocal(shipped, context) : undefined,
    });
  },
};
