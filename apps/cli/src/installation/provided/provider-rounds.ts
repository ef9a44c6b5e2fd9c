import { BowlineError, createLogger } from "@bowline/core";
import { advance, type ProviderAnswer, type ProviderGoal, type ProviderWork } from "@bowline/providers";

import { newState } from "../installation-state.ts";
import { Ledger } from "../ledger.ts";
import type { PhaseContext } from "../target.ts";
import { LedgerRecords } from "./ledger-records.ts";
import type { ProvidedPlace } from "./provided-place.ts";

const lookAgainMs = 2000;

/** An installation has one cluster, so that the id of one is that of the other. */
export function providerWork(
  { spec }: ProvidedPlace,
  { ledger, call, clock, signal }: PhaseContext,
): ProviderWork {
  const { installation } = ledger.state;
  return {
    cluster: { id: installation, name: ledger.state.name, labels: {}, spec },
    installation,
    records: new LedgerRecords(ledger),
    call,
    credential: (name) =>
      Promise.reject(new BowlineError("NotFound", `There is no Credential "${name}" without a server.`)),
    clock,
    logger: createLogger({ name: "up", level: "silent" }),
    signal,
  };
}

/** What a provider would make for an installation that there is not yet. Rejects where it cannot make anything. */
export async function providerSteps(
  place: ProvidedPlace,
  name: string,
  { clock, signal }: Pick<PhaseContext, "clock" | "signal">,
): Promise<readonly string[]> {
  const installation = "00000000-0000-0000-0000-000000000000";
  const state = newState({ installation, name, target: place.record, startedAt: "" });
  const nothing = (): Promise<void> => Promise.resolve();
  const ledger = new Ledger({ state, write: nothing, now: () => clock.now() });
  const work = providerWork(place, {
    ledger,
    call: (_, call) => call(),
    clock,
    signal,
    progress: () => undefined,
  });
  return (await place.provider.plan(work)).steps;
}

/** Rounds until the cluster is ready, or gone; or until a person has to do something, which is returned as well. */
export async function runProvider(
  { provider }: ProvidedPlace,
  work: ProviderWork,
  goal: ProviderGoal,
  { progress }: PhaseContext,
): Promise<ProviderAnswer> {
  for (;;) {
    const answer = await advance(provider, work, goal);
    if (["ready", "gone", "blocked", "lost"].includes(answer.state)) return answer;
    progress(inWords(answer));
    await work.clock.sleep(answer.retryAfterMs ?? lookAgainMs, work.signal);
  }
}

export function requireUsable({ state, reason = "", message = "" }: ProviderAnswer): void {
  if (state !== "blocked" && state !== "lost") return;
  throw new BowlineError("ReconcileStalled", message === "" ? reason : message, { details: { reason } });
}

/** The step, how long it usually takes, and what is in its way. */
function inWords({ state, message, step }: ProviderAnswer): string {
  if (step === undefined) return message ?? state;
  const { text, number, of, expectedSeconds = 0 } = step;
  const minutes = Math.round(expectedSeconds / 60);
  const usually = minutes === 0 ? "" : `, usually ${minutes} min`;
  return `${text} (${number} of ${of}${usually})${message === undefined ? "" : `: ${message}`}`;
}
