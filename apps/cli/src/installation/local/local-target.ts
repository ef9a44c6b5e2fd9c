import { readFile, stat } from "node:fs/promises";
import { createServer } from "node:net";

import type { Client } from "@bowline/client";
import { BowlineError, listenProblem, makeFolder } from "@bowline/core";

import type { ContextEntry } from "../../connection/config-document.ts";
import type { PhaseContext, Removal, RemoveOptions, Target } from "../target.ts";
import { deleteData } from "./delete-data.ts";
import { hasKeptData, requireSameKind } from "./kept-data.ts";
import { addressOf, localFiles, localRecord, localUrl, type LocalOptions } from "./local-options.ts";
import type { LocalService } from "./local-service.ts";
import { isReady, untilReady } from "./readiness.ts";

interface LocalTargetOptions {
  readonly options: LocalOptions;
  readonly service: LocalService;
  readonly openClient: (access: {
    server: string;
    caPem: string;
    token: string | undefined;
  }) => Promise<Client>;
}

const readyLimitMs = 60_000;

/** A server on this machine, with SQLite in a folder. */
export function localTarget({ options, service, openClient }: LocalTargetOptions): Target {
  const files = localFiles(options);
  const url = localUrl(options);
  const connect = async (): Promise<Client> => {
    const [token, caPem] = [await readToken(files.adminToken), await readFile(files.ca, "utf8")];
    return openClient({ server: url, caPem, token });
  };
  const folder = { type: "folder", id: options.data };
  return {
    record: localRecord(options),
    place: "this machine",
    async standing(context) {
      if (!(await service.isRunning(context))) return "stopped";
      return (await isReady({ url, caFile: files.ca }, context)) ? "answers" : "runs";
    },
    async runningVersion(context) {
      if (!(await isReady({ url, caFile: files.ca }, context))) return undefined;
      // Everybody may ask for it: the token may be gone.
      const client = await openClient({
        server: url,
        caPem: await readFile(files.ca, "utf8"),
        token: undefined,
      });
      try {
        return (await client.version({ signal: context.signal })).version;
      } finally {
        await client.close();
      }
    },
    plan: async () => ({
      preflight: [`look whether ${options.listen} is free, and what is in ${options.data}`],
      infrastructure: [`make the folder ${options.data}, unless it is there`],
      install: service.plan,
      wait: [`wait until ${url}/readyz answers`],
      bootstrap: [`sign in with ${files.adminToken}`],
      register: ["nothing: no cluster comes with it"],
    }),
    phases: {
      preflight: (context) => preflight(context, options, service),
      async infrastructure({ ledger, call }) {
        if (await exists(options.data)) return `${options.data} is there`;
        await ledger.make(folder, () => call("the data folder", async () => makeFolder(options.data)));
        return options.data;
      },
      install: service.start,
      async wait(context) {
        const { lastWords, prepare } = service;
        const isRunning = async (): Promise<boolean> => {
          await prepare?.(context);
          return service.isRunning(context);
        };
        await untilReady({ url, caFile: files.ca, isRunning, lastWords, limitMs: readyLimitMs }, context);
        return url;
      },
      async bootstrap(context) {
        const client = await connect();
        try {
          const { user } = await client.login();
          await context.ledger.note({ endpoints: { server: url } });
          return `signed in as ${user}`;
        } finally {
          await client.close();
        }
      },
      register: async () => "no cluster comes with it",
    },
    stop: (context) => service.remove(context, { deleteData: false }),
    connect,
    async contextEntry(name): Promise<ContextEntry> {
      return { name, server: url, caPem: await readFile(files.ca, "utf8"), tokenFile: files.adminToken };
    },
    remove: (context, removal) => remove(context, removal, { options, service }),
  };
}

async function preflight(
  context: PhaseContext,
  options: LocalOptions,
  service: LocalService,
): Promise<string> {
  await requireSameKind(options);
  await service.check(context);
  const known = (await hasKeptData(options)) ? "goes on with the data" : "begins with no data";
  const data = `${known} in ${service.keeps ?? options.data}`;
  if (await service.isRunning(context)) return `the server runs; ${data}`;
  await requireFree(options);
  return `${options.listen} is free; ${data}`;
}

async function requireFree(options: LocalOptions): Promise<void> {
  const { host, port } = addressOf(options);
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ host, port, exclusive: true }, resolve);
    });
  } catch (cause) {
    const problem = listenProblem(cause, "--listen");
    throw new BowlineError("InvalidArgument", `The server cannot listen on ${options.listen}: ${problem}.`, {
      cause,
    });
  } finally {
    server.close();
  }
}

async function readToken(file: string): Promise<string> {
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (cause) {
    throw new BowlineError(
      "NotFound",
      `The token of the first start is not in ${file} any more; stop the server with \`bowline down\`, make another one with \`bowline server recover --data FOLDER > ${file}\`, and run this again.`,
      { cause },
    );
  }
}

async function remove(
  context: PhaseContext,
  removal: RemoveOptions,
  { options, service }: Pick<LocalTargetOptions, "options" | "service">,
): Promise<Removal> {
  const { ledger, call } = context;
  await service.remove(context, removal);
  const folder = { type: "folder", id: options.data };
  if (!(await exists(options.data))) {
    await ledger.gone(folder);
    return { kept: [], unchecked: [] };
  }
  if (!removal.deleteData) {
    const elsewhere = service.keeps === undefined ? "" : ` and ${service.keeps}`;
    return { kept: [`the data in ${options.data}${elsewhere} (--delete-data takes it away)`], unchecked: [] };
  }
  const left = await call("the data", () => deleteData(options.data));
  await ledger.gone(folder);
  const kept =
    left.length === 0 ? [] : [`${options.data}, for what is not of the server in it: ${left.join(", ")}`];
  return { kept, unchecked: [] };
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
