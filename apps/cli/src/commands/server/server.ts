import { existsSync } from "node:fs";

import {
  addCheckConfigCommand,
  addSettingOptions,
  givenFlags,
  type GivenFlags,
} from "../../command/setting-options.ts";
import type { CommandContext } from "../../command/command-context.ts";
import { addExamples, type AddCommand } from "../../command/command-set.ts";
import { runProgram } from "../../command/run-program.ts";
import { addKeysCommand, addMigrateCommand, addRecoverCommand } from "./maintenance.ts";

/** The flags of the server are those of its table of settings, which is small; the server itself is read when it runs. */
export async function loadServerCommand(): Promise<AddCommand> {
  const { serverSettings } = await import("@bowline/server/settings");
  return (program, context) => {
    const command = program
      .command("server")
      .description(
        "Run a Bowline server until it is told to stop, by SIGTERM or Ctrl-C; a second one ends it at once.\n\nEvery flag can also be an environment variable or a line of the config file; docs/reference/configuration.md lists them.",
      )
      .action(() => runServer(context, givenFlags(command)));
    addSettingOptions(command, serverSettings);
    addCheckConfigCommand(command, context, {
      load: async (sources) => (await import("@bowline/server")).loadConfig(sources),
      examples: [
        {
          does: "Before a restart with a new config file",
          run: "bowline server check-config --config new.yaml",
        },
      ],
    });
    addMigrateCommand(command, context);
    addKeysCommand(command, context);
    addRecoverCommand(command, context);
    addExamples(command, [
      { does: "A server for this machine, with its data in your home folder", run: "bowline server" },
      {
        does: "For other machines, under a name",
        run: "bowline server --listen 0.0.0.0:7443 --advertised-url https://bowline.example.com:7443",
      },
      {
        does: "On PostgreSQL, with a certificate of your own",
        run: "bowline server --database-url-file /etc/bowline/database-url \\\n  --tls-cert-file /etc/bowline/tls.crt --tls-key-file /etc/bowline/tls.key",
      },
      { does: "With settings from a file", run: "bowline server --config /etc/bowline/server.yaml" },
    ]);
  };
}

/** Runs the server until the process is told to stop. */
async function runServer(context: CommandContext, flags: GivenFlags): Promise<void> {
  const { environment, version } = context;
  const { loadConfig, startServer } = await import("@bowline/server");
  const config = loadConfig({ flags, environment });
  const program = environment["npm_command"] === undefined ? "bowline" : "npx bowline";
  await runProgram(context, {
    name: "server",
    config,
    start: startServer,
    started: (server) =>
      startedText({
        ...server,
        hasAdminTokenFile: existsSync(server.adminTokenFile),
        version,
        role: config.role,
        program,
      }),
  });
}

export interface StartedServer {
  readonly version: string;
  readonly url: string;
  /** Where it listens, which may have another name outside. */
  readonly address: string;
  /** Where the data is, in words. */
  readonly data: string;
  readonly role: string;
  readonly caFile: string | undefined;
  readonly caFingerprint: string | undefined;
  /** On the first start only. */
  readonly adminToken: string | undefined;
  readonly adminTokenFile: string;
  /** Whether the token of the first start is still in its file. */
  readonly hasAdminTokenFile: boolean;
  /** How this program is called: `bowline`, or `npx bowline` where npm started it. */
  readonly program: string;
}

/** What whoever started the server has to know. */
export function startedText(server: StartedServer): string {
  const facts = [
    ["Data", server.data],
    ...(server.role === "all" ? [] : [["Role", server.role]]),
    ...(server.caFile === undefined ? [] : [["CA", server.caFile]]),
    ...(server.caFingerprint === undefined ? [] : [["", server.caFingerprint]]),
  ];
  const lines = facts.map(([name = "", value]) => `  ${name.padEnd(5)} ${value}`);
  return [`Bowline ${server.version} listens on ${server.url}`, ...lines, ...howToLogIn(server), ""].join(
    "\n",
  );
}

/** The first start may have ended before it said so, as where another program had the port. */
function howToLogIn(server: StartedServer): string[] {
  if (server.adminToken !== undefined) return firstStart(server, server.adminToken);
  if (!server.hasAdminTokenFile) return [];
  return ["", "Log in with the token of the first start:", "", `  ${loginCommand(server)}`, ""];
}

function firstStart(server: StartedServer, adminToken: string): string[] {
  return [
    "",
    "This is the first start. The token of the admin, which will not be shown again:",
    "",
    `  ${adminToken}`,
    "",
    `It is also in ${server.adminTokenFile}. Log in with:`,
    "",
    `  ${loginCommand(server)}`,
    "",
    "And go on with:",
    "",
    `  ${server.program} api-kinds`,
    `  ${server.program} get clusters`,
    "",
  ];
}

function loginCommand({ program, url, caFingerprint, adminTokenFile }: StartedServer): string {
  return [
    `${program} login ${url}`,
    ...(caFingerprint === undefined ? [] : [`--ca-fingerprint ${caFingerprint}`]),
    `--token-file ${quoted(adminTokenFile)}`,
  ].join(" ");
}

/** As a shell takes it. */
function quoted(path: string): string {
  return /^[\w./~+-]+$/u.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
