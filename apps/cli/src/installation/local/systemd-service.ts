import { readFile, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";

import { BowlineError, hasCode, makeFolder, replaceFile } from "@bowline/core";

import type { Environment } from "../../command/command-context.ts";
import { hasProgram } from "../../kubeconfig/credential-program.ts";
import type { PhaseContext } from "../target.ts";
import type { LocalOptions } from "./local-options.ts";
import type { LocalService } from "./local-service.ts";
import { serverCommand } from "./process-service.ts";
import { runTool } from "./run-tool.ts";
import { quoted, systemdUnit } from "./systemd-unit.ts";

interface SystemdPlace {
  readonly name: string;
  readonly environment: Environment;
  /** Whether the unit is one of the machine; root makes those. */
  readonly isSystem: boolean;
}

/** A unit of systemd: it starts again when it fails, and with the machine. */
export function systemdService(options: LocalOptions, place: SystemdPlace): LocalService {
  const { name, environment, isSystem } = place;
  const path = unitPath(place);
  const unit = basename(path);
  const systemctl = (context: PhaseContext, ...args: readonly string[]): Promise<string> =>
    runTool(environment, ["systemctl", ...(isSystem ? [] : ["--user"]), ...args], context.signal);
  const resource = { type: "unit", id: path };
  return {
    plan: [
      `write ${path}, and have systemd start it now and ${isSystem ? "with the machine" : "when you sign in"}`,
    ],
    async check(context) {
      await requireSystemctl(environment);
      // The program may be there without a systemd, or where nobody is signed in.
      await systemctl(context, "show", "--property", "Version").catch((cause: unknown) => {
        context.signal.throwIfAborted();
        const { message } = BowlineError.from(cause);
        const advice = isSystem ? "start systemd" : "sign in as this user, as su alone does not";
        const instead = "use `bowline up --service process`, which needs none";
        throw new BowlineError("MissingProgram", `${message}; ${advice}, or ${instead}.`, { cause });
      });
    },
    isRunning: (context) =>
      systemctl(context, "is-active", "--quiet", unit).then(
        () => true,
        () => false,
      ),
    async start(context) {
      const { ledger, call } = context;
      const text = systemdUnit({
        name,
        installation: ledger.state.installation,
        command: serverCommand(options),
        data: options.data,
        isSystem,
      });
      await requireOwn(path, ledger.state.installation);
      await ledger.make(resource, async () => {
        makeFolder(options.data);
        await call("the unit file", async () => {
          makeFolder(dirname(path));
          await replaceFile(path, text, { mode: 0o644 });
        });
        await call("systemctl daemon-reload", () => systemctl(context, "daemon-reload"));
        await call("systemctl enable", () => systemctl(context, "enable", "--now", unit));
      });
      return isSystem ? unit : `${unit}; \`loginctl enable-linger\` lets it run while you are signed out`;
    },
    lastWords: async () => `\`journalctl ${isSystem ? "" : "--user "}-u ${unit}\` tells more`,
    async remove(context) {
      const { call, ledger } = context;
      if ((await ownership(path, ledger.state.installation)) === "ours") {
        await call("systemctl disable", () => systemctl(context, "disable", "--now", unit));
        await call("the unit file", () => rm(path, { force: true }));
        await call("systemctl daemon-reload", () => systemctl(context, "daemon-reload"));
      }
      await ledger.gone(resource);
    },
  };
}

/** Whether `up` has written a unit that runs a server on this data: it would go on, on nothing, when the data goes. */
export async function isRunBySystemd(data: string, place: SystemdPlace): Promise<boolean> {
  const text = await readFile(unitPath(place), "utf8").catch(() => "");
  const isOurs = text.includes("BOWLINE_INSTALLATION=");
  return isOurs && [" ", "\n"].some((end) => text.includes(` --data ${quoted(data)}${end}`));
}

function unitPath(place: SystemdPlace): string {
  return join(unitFolder(place), `bowline-${place.name}.service`);
}

function unitFolder({ environment, isSystem }: SystemdPlace): string {
  if (isSystem) return "/etc/systemd/system";
  const configured = environment["XDG_CONFIG_HOME"] ?? "";
  const home = environment["HOME"] ?? homedir();
  return join(configured === "" ? join(home, ".config") : configured, "systemd", "user");
}

async function requireSystemctl(environment: Environment): Promise<void> {
  if (await hasProgram("systemctl", environment)) return;
  throw new BowlineError(
    "MissingProgram",
    "There is no `systemctl` on this machine; `bowline up --service process` needs none.",
  );
}

/** A unit of this name may be somebody else's. Where the installation is forgotten, any that `up` has written is ours. */
async function ownership(path: string, installation: string): Promise<"missing" | "ours" | "foreign"> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  });
  if (text === undefined) return "missing";
  return text.includes(`BOWLINE_INSTALLATION=${installation}`) ? "ours" : "foreign";
}

async function requireOwn(path: string, installation: string): Promise<void> {
  if ((await ownership(path, installation)) !== "foreign") return;
  throw new BowlineError(
    "AlreadyExists",
    `${path} is there already, and not of this installation; choose another --name, or remove it.`,
  );
}
