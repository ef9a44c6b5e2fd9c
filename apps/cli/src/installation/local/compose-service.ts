import { randomBytes } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";

import { BowlineError, createFile, makeFolder, replaceFile } from "@bowline/core";
import { parseDocument } from "yaml";

import type { Environment } from "../../command/command-context.ts";
import { hasProgram } from "../../kubeconfig/credential-program.ts";
import type { PhaseContext } from "../target.ts";
import { deleteOfCompose } from "./delete-data.ts";
import { composeMark, hasOwnCompose } from "./kept-data.ts";
import { addressOf, localFiles, type LocalOptions } from "./local-options.ts";
import type { LocalService } from "./local-service.ts";
import { runTool } from "./run-tool.ts";

interface ComposePlace {
  readonly name: string;
  readonly environment: Environment;
  readonly version: string;
}

/** Where the server in the container has its CA. */
const caInContainer = "/var/lib/bowline/server/tls/ca.crt";

/** A container, as `docker compose` runs it from a file in the data folder; its data is in a volume of the engine. */
export function composeService(options: LocalOptions, place: ComposePlace): LocalService {
  const { environment, name } = place;
  const files = localFiles(options);
  const resource = { type: "compose file", id: files.compose };
  const compose = ({ signal }: PhaseContext, ...args: readonly string[]): Promise<string> =>
    runTool(
      environment,
      ["docker", "compose", "--project-name", projectOf(name), "-f", files.compose, ...args],
      signal,
    );
  return {
    plan: [`write ${files.compose}, and have \`docker compose up -d\` run it`],
    async check(context) {
      await requireOwn(files.compose);
      await requireEngine(environment, context);
    },
    isRunning: async (context) => {
      if (!(await hasOwnCompose(files.compose))) return false;
      return (await compose(context, "ps", "--status", "running", "--quiet")).trim() !== "";
    },
    async start(context) {
      const { ledger, call } = context;
      await requireOwn(files.compose);
      await ledger.make(resource, async () => {
        await call("the token of the admin", () => keepToken(files.composeToken));
        const text = await composeText(options, place, ledger.state.installation);
        await call("the compose file", () => replaceFile(files.compose, text));
        await call("docker compose up", () => compose(context, "up", "--detach", "--remove-orphans"));
      });
      return `project ${projectOf(name)}`;
    },
    async prepare(context) {
      makeFolder(dirname(files.ca));
      await compose(context, "cp", `server:${caInContainer}`, files.ca).catch(() => undefined);
    },
    keeps: `the volume ${projectOf(name)}_data of the container engine`,
    lastWords: async () => `\`docker compose -f ${files.compose} logs\` tells more`,
    async remove(context, { deleteData }) {
      const { call, ledger } = context;
      if (await hasOwnCompose(files.compose)) {
        const volumes = deleteData ? ["--volumes"] : [];
        await call("docker compose down", () => compose(context, "down", ...volumes));
        // The volume, and the token for it, are found again by this file.
        if (deleteData) await call("the compose file", () => deleteOfCompose(options.data));
      }
      await ledger.gone(resource);
    },
  };
}

function projectOf(name: string): string {
  return `bowline-${name}`;
}

async function composeText(
  options: LocalOptions,
  place: ComposePlace,
  installation: string,
): Promise<string> {
  const { composeFile, parseValues } = await import("@bowline/install");
  const { serverSettings } = await import("@bowline/server/settings");
  const { imageValues } = await import("../kubernetes/kubernetes-options.ts");
  const { host, port } = addressOf(options);
  const values = {
    image: imageValues(options.image),
    adminToken: { existingSecret: "admin" },
    service: { port },
    // There is no other server that clients could be told of before this one goes.
    drain: { delaySeconds: 0 },
    ...(options.url === undefined ? {} : { url: options.url }),
    tls: { addresses: ["127.0.0.1", "::1"] },
  };
  const release = { name: projectOf(place.name), version: place.version };
  const document = parseDocument(composeFile(parseValues(values, serverSettings), release, serverSettings));
  // Where somebody asked it to listen, and nowhere else.
  document.setIn(
    ["services", "server", "ports"],
    [`${host.includes(":") ? `[${host}]` : host}:${port}:7443`],
  );
  document.setIn(["services", "server", "labels"], { [composeMark]: installation });
  return document.toString({ lineWidth: 0 });
}

/** The server in the container is another user: the folder keeps everybody else out. */
async function keepToken(path: string): Promise<void> {
  makeFolder(dirname(path));
  const { newTokenSecret } = await import("@bowline/auth");
  await createFile(path, `${newTokenSecret(randomBytes)}\n`, { mode: 0o644 });
  await readFile(path);
}

async function requireOwn(path: string): Promise<void> {
  if ((await hasOwnCompose(path)) || !(await exists(path))) return;
  throw new BowlineError(
    "AlreadyExists",
    `${path} is there already, and \`bowline up\` has not written it; choose another --data.`,
  );
}

async function requireEngine(environment: Environment, { signal }: PhaseContext): Promise<void> {
  const instead =
    "install Docker with its compose plugin, or use `bowline up --service process`, which needs none";
  if (!(await hasProgram("docker", environment))) {
    throw new BowlineError("MissingProgram", `There is no \`docker\` on this machine; ${instead}.`);
  }
  for (const question of [
    ["compose", "version"],
    ["info", "--format", "{{.ServerVersion}}"],
  ]) {
    await runTool(environment, ["docker", ...question], signal).catch((cause: unknown) => {
      const { message } = BowlineError.from(cause);
      throw new BowlineError("MissingProgram", `${message}; ${instead}.`, { cause });
    });
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
