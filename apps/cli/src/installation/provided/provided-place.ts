import type { Cluster } from "@bowline/api";
import type { Provider, ProviderWork, ResourceRecord } from "@bowline/providers";

import type { TargetRecord } from "../installation-state.ts";

/** A cluster that a provider makes for an installation. Each provider that `up` knows has one of these. */
export interface ProvidedPlace {
  /** With what it is made again from the state file; the target adds what it remembers itself. */
  readonly record: TargetRecord;
  /** `a kind cluster on this machine`. */
  readonly words: string;
  readonly provider: Provider;
  readonly spec: Cluster["spec"];
  /** The image of the server, from this machine into the nodes; missing where they get it from a registry. */
  readonly loadImage?: {
    readonly archive: string;
    readonly load: (work: ProviderWork) => Promise<void>;
  };
  /** What preflight does, for whoever wants to know before. */
  readonly looks: string;
  /** How `down` finds the cluster again without notes, in flags: `--kind`. */
  readonly flags: string;
  /** Looks for all that would stop it before it has begun, in words about who asks; what the provider plans, if missing. */
  readonly preflight?: (work: ProviderWork) => Promise<string>;
  /** Remembers what is outside with the marks of the cluster and was forgotten; resolves to how much that was. */
  readonly recover?: (work: ProviderWork) => Promise<number>;
  /**
   * The kubeconfig to keep, which asks for its token when that is needed; missing where the one of the provider has none
   * that ends.
   */
  readonly keptKubeconfig?: (work: ProviderWork) => Promise<string>;
  /** What is there costs so many US dollars an hour; undefined where nobody knows, or nothing does. */
  readonly hourlyCost?: (records: readonly ResourceRecord[]) => number | undefined;
  /** Whether a server can have been there to write data. */
  readonly mayHoldData: (records: readonly ResourceRecord[]) => boolean;
  /** The installations of that name which the marks of things outside tell of, for whoever has lost the notes. */
  readonly find: (name: string, signal: AbortSignal) => Promise<readonly string[]>;
  /** Ends what it has started on this machine for itself. */
  readonly close?: () => Promise<void>;
}
