import { setTimeout as sleep } from "node:timers/promises";

import { hasCode } from "@bowline/core";
import { allProcesses } from "./process-stat.ts";

/** A killed process may still take a moment inside the kernel. */
const killedGraceMs = 2_000;
const pollMs = 20;

/** Asks the group to end, then makes it: resolves when no process of it runs. */
export async function endProcessGroup(pid: number, signal: NodeJS.Signals, graceMs: number): Promise<void> {
  signalProcessGroup(pid, signal);
  if (await hasEnded(pid, graceMs)) return;
  signalProcessGroup(pid, "SIGKILL");
  await hasEnded(pid, killedGraceMs);
}

/** False when there is no process in the group. */
function signalProcessGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch (error) {
    if (hasCode(error, "ESRCH")) return false;
    throw error;
  }
}

async function hasEnded(pid: number, withinMs: number): Promise<boolean> {
  const limit = AbortSignal.timeout(withinMs);
  do {
    if (!(await isRunning(pid))) return true;
    await sleep(pollMs);
  } while (!limit.aborted);
  return !(await isRunning(pid));
}

/** Orphans that have ended stay in the group until the system's first process buries them, which may take seconds. */
async function isRunning(pid: number): Promise<boolean> {
  if (!signalProcessGroup(pid, 0)) return false;
  const members = (await allProcesses())?.filter(({ groupPid }) => groupPid === pid);
  return members === undefined || members.some(({ isAlive }) => isAlive);
}
