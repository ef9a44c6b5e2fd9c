import type { Client } from "@bowline/client";
import type { Clock } from "@bowline/core";

import type { ContextEntry } from "../connection/config-document.ts";
import type { PhaseName, TargetRecord } from "./installation-state.ts";
import type { Ledger } from "./ledger.ts";

/**
 * Every call that leaves something behind outside the state file goes through this: a test can count them, and end the
 * program after any of them.
 */
export type Call = <T>(subject: string, call: () => Promise<T>) => Promise<T>;

export interface PhaseContext {
  readonly ledger: Ledger;
  readonly call: Call;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Tells whoever waits what it waits for. */
  readonly progress: (text: string) => void;
}

/** Does its part, or finds it done; returns the outcome in a few words. */
type Phase = (context: PhaseContext) => Promise<string>;

export interface RemoveOptions {
  readonly deleteData: boolean;
  /** Whether it goes also where others would lose what only it knows of. */
  readonly isForced?: boolean;
}

/** The rest of an installation that was taken down. */
export interface Removal {
  /** Kept on purpose, in words. */
  readonly kept: readonly string[];
  /** Could not be looked at, in words: nobody knows whether it is there. */
  readonly unchecked: readonly string[];
}

/** A place for the control plane. */
export interface Target {
  /** Goes into the state file, and is enough to make the target again. */
  readonly record: TargetRecord;
  /** The place, in words: `this machine`. */
  readonly place: string;
  /** The id of an installation of this name that a `down` took away and whose data it left, where it has to be the same. */
  readonly earlier?: () => Promise<string | undefined>;
  /** How the server does right now, where that is quicker to know than to go through all phases. */
  readonly standing?: (context: PhaseContext) => Promise<"answers" | "runs" | "stopped">;
  /** The version of the server that runs; undefined where none does, or nobody can look. */
  readonly runningVersion: (context: PhaseContext) => Promise<string | undefined>;
  /** What each phase will do, for whoever wants to know before. */
  readonly plan: () => Promise<Readonly<Partial<Record<PhaseName, readonly string[]>>>>;
  readonly phases: Readonly<Record<Exclude<PhaseName, "save">, Phase>>;
  /** Ends the server and what was written for it, where two versions cannot run side by side; its data stays. */
  readonly stop?: (context: PhaseContext) => Promise<void>;
  /** The server, as the first admin sees it; the caller closes it. */
  readonly connect: (context: PhaseContext) => Promise<Client>;
  /** How commands reach the server from now on; asked for when it answers. */
  readonly contextEntry: (name: string, context: PhaseContext) => Promise<ContextEntry>;
  /** What the things that are there cost, in a sentence; missing or empty where they cost nothing, or nobody knows. */
  readonly cost?: (context: PhaseContext) => string;
  /** Takes away everything that carries the mark of the installation, whatever the ledger knows of it. */
  readonly remove: (context: PhaseContext, options: RemoveOptions) => Promise<Removal>;
  /** Ends what it has started on this machine for itself. */
  readonly close?: () => Promise<void>;
}
