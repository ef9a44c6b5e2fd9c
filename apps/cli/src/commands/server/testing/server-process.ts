import { startBowline, type BowlineProcess } from "../../../testing/bowline-process.ts";

/** Runs a server as a process of its own until it listens; it is killed when the test ends. */
export function startServerProcess(data: string, ...args: string[]): Promise<BowlineProcess> {
  const flags = ["--data", data, "--listen", "127.0.0.1:0", "--log-format", "json", ...args];
  return startBowline(["server", ...flags], { readyText: "listens on" });
}
