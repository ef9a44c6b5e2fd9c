/** The measured server: `server-process.ts FLAG=VALUE…`, with the flags of `bowline server`. */
import { systemClock } from "@bowline/core";
import { createProgramLogger } from "@bowline/program";
import { loadConfig, startServer } from "@bowline/server";

import { answerCommands } from "../measure-process.ts";
import type { RequestTarget } from "./requests.ts";
import { resourceUse } from "./resource-use.ts";

const config = loadConfig({ flags: parseFlags(process.argv.slice(2)), environment: {} });

function parseFlags(args: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    args.map((text) => {
      const at = text.indexOf("=");
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}

answerCommands({
  start: async (): Promise<RequestTarget> => {
    const { url, adminToken = "" } = await startServer(config, {
      clock: systemClock,
      random: Math.random,
      logger: createProgramLogger({
        name: "server",
        log: config.log,
        isTerminal: process.stderr.isTTY,
        write: (line) => void process.stderr.write(line),
      }),
      version: "bench",
      ownsProcess: true,
    });
    return { port: Number(new URL(url).port), token: adminToken };
  },
  use: resourceUse,
});
