import { Cluster, type WorkloadInstance } from "@bowline/api";
import { Link } from "@tanstack/react-router";
import { useMemo, type ReactNode } from "react";

import { useObjects } from "../../live/live-context.tsx";
import { cleanText } from "../../text/clean-text.ts";
import { formatTime } from "../../text/time.ts";
import { Age } from "../../ui/age.tsx";
import { HealthMark } from "../../ui/health-mark.tsx";
import { usePreferences } from "../../ui/preferences.ts";
import { ProgressBar } from "../../ui/progress-bar.tsx";
import { shortRevision } from "./holds.ts";
import { phaseText, wavesOf, type WaveMember, type WaveProgress, type WaveStep } from "./rollout-waves.ts";

/** More of one wave are counted, not listed. */
const shownMembers = 50;

/** How a change goes over the clusters of an instance, wave by wave. */
export function RolloutProgress({ instance }: { instance: WorkloadInstance }): ReactNode {
  const { items } = useObjects(Cluster);
  const { timeZone } = usePreferences();
  const waves = useMemo(
    () =>
      wavesOf(instance, new Map([...items.values()].map(({ metadata }) => [metadata.name, metadata.labels]))),
    [instance, items],
  );
  const { rollout } = instance.status;
  const { paused, revision: choice } = instance.spec;
  if (rollout === undefined && paused === undefined && choice === undefined) return null;
  return (
    <section aria-label="Rollout" className="m-4 rounded-md border border-border p-3">
      <h2 className="text-lg">Rollout</h2>
      {paused !== undefined && (
        <p role="status" className="text-missing">
          Paused
          {paused.reason === undefined || paused.reason === "" ? "" : `: ${cleanText(paused.reason, 1_024)}`}.
          Clusters stay as they are until it is resumed.
        </p>
      )}
      {choice !== undefined && (
        <p>
          It stays at revision <code>{shortRevision(choice.pin)}</code>
          {choice.rejected.length === 0 ? "." : " until the definition has another revision than those left."}
        </p>
      )}
      {rollout !== undefined && (
        <p role="status">
          Revision <code>{shortRevision(rollout.revision)}</code>: {phaseText(rollout)}
          {rollout.soakUntil !== undefined &&
            ` Until ${formatTime(Date.parse(rollout.soakUntil), timeZone)}.`}
        </p>
      )}
      {rollout !== undefined && rollout.phase !== "Complete" && (
        <ol className="mt-2 grid gap-3 lg:grid-cols-3">
          {waves.map((wave) => (
            <Wave key={wave.wave} wave={wave} />
          ))}
        </ol>
      )}
    </section>
  );
}

const stateWords: Readonly<Record<WaveProgress["state"], string>> = {
  done: "done",
  current: "now",
  next: "later",
};

function Wave({
  wave: { wave, state, members, readyCount, needsApproval, soak },
}: {
  wave: WaveProgress;
}): ReactNode {
  const rest = members.length - shownMembers;
  const rules = [
    needsApproval ? "begins when somebody agrees" : "",
    soak === "0s" ? "" : `stays ready for ${soak}`,
  ];
  return (
    <li
      aria-label={`Wave ${wave}`}
      aria-current={state === "current" ? "step" : undefined}
      className={`min-w-0 rounded-sm border p-2 ${state === "current" ? "border-accent" : "border-border"}`}
    >
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span className="font-semibold">Wave {wave}</span>
        <span className="text-muted">{stateWords[state]}</span>
        <span className="ml-auto">
          {readyCount} of {members.length} ready
        </span>
      </p>
      <ProgressBar
        label={`Ready in wave ${wave}`}
        max={Math.max(1, members.length)}
        value={members.length === 0 ? 1 : readyCount}
      />
      <p className="text-xs text-muted">{rules.filter(Boolean).join(", ")}</p>
      <ul>
        {members.slice(0, shownMembers).map((member) => (
          <Member key={member.cluster} member={member} />
        ))}
      </ul>
      {rest > 0 && <p className="text-muted">and {rest} more</p>}
    </li>
  );
}

const stepWords: Readonly<Record<WaveStep, string>> = {
  ready: "ready",
  underWay: "under way for",
  failed: "not ready in time",
  waits: "waits",
  back: "at the revision before",
  notReady: "not ready",
};

function Member({ member: { cluster, health, step, since, message } }: { member: WaveMember }): ReactNode {
  return (
    <li className="flex flex-wrap items-baseline gap-x-2">
      <HealthMark health={health} word={false} />
      <Link to="/c/$cluster" params={{ cluster }} className="underline">
        {cleanText(cluster, 63)}
      </Link>
      <span>
        {stepWords[step]} {step === "underWay" && <Age at={since} />}
      </span>
      {step !== "ready" && message !== "" && (
        <span className="w-full text-xs wrap-anywhere text-muted">{cleanText(message, 300)}</span>
      )}
    </li>
  );
}
