import { fullImageName } from "./image-name.ts";
import type { ContainerRun } from "./container-life.ts";

export interface LogLine {
  readonly timeMs: number;
  readonly text: string;
}

/** What one container wrote. */
export interface ContainerLog {
  /** Everything that is kept, oldest first. `previous` is the run before the last restart. */
  lines(options?: { readonly previous?: boolean }): LogLine[];
  /** Tells every line this run writes from now on, and its end; the returned function ends it. */
  follow(follower: LogFollower): () => void;
}

export interface LogFollower {
  line(line: LogLine): void;
  /** The container has ended, or its pod is gone. */
  end(): void;
}

/** How often a running container says that it is alive. */
const chatterPeriodMs = 10_000;
const keptChatter = 100;

/**
 * What a container would have written in one run: how it started, that it works, and why it ended. It follows from the
 * times alone, so nothing has to be kept for the thousands of containers nobody ever asks.
 */
export function runLines(run: ContainerRun, image: string, nowMs: number): LogLine[] {
  return [...workLines(run, image, nowMs), ...endLines(run)];
}

export function workLines(run: ContainerRun, image: string, nowMs: number): LogLine[] {
  const untilMs = run.endedMs ?? nowMs;
  const lines: LogLine[] = [
    { timeMs: run.startedMs, text: `starting ${fullImageName(image)}` },
    { timeMs: run.startedMs, text: "listening, ready to serve" },
  ];
  const beats = Math.floor((untilMs - run.startedMs) / chatterPeriodMs);
  for (let beat = Math.max(1, beats - keptChatter + 1); beat <= beats; beat++) {
    lines.push(chatter(run.startedMs, beat));
  }
  return lines;
}

/** Whoever is killed for its memory has no time for last words. */
export function endLines({ endedMs, exit }: ContainerRun): LogLine[] {
  if (endedMs === undefined || exit === undefined || exit.reason === "OOMKilled") return [];
  return [
    { timeMs: endedMs, text: exit.code === 0 ? "finished" : `fatal: giving up, exit status ${exit.code}` },
  ];
}

/** The next line a running container writes by itself. */
export function nextChatter(run: ContainerRun, nowMs: number): LogLine {
  const beat = Math.floor((nowMs - run.startedMs) / chatterPeriodMs) + 1;
  return chatter(run.startedMs, beat);
}

function chatter(startedMs: number, beat: number): LogLine {
  const requests = (beat * 7919) % 40;
  return { timeMs: startedMs + beat * chatterPeriodMs, text: `served ${requests} requests in the last 10s` };
}
