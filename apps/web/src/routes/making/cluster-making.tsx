import { formatAge, type Cluster } from "@bowline/api";
import type { ReactNode } from "react";

import { useNowMs } from "../../live/now.ts";
import { cleanText } from "../../text/clean-text.ts";
import { formatTime } from "../../text/time.ts";
import { Age } from "../../ui/age.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { usePreferences } from "../../ui/preferences.ts";
import { ProgressBar } from "../../ui/progress-bar.tsx";
import { Section } from "../../ui/section.tsx";
import { costWords } from "../../text/cost-words.ts";
import { isSlow, partDone, stateWords, troubleOf } from "./making.ts";

type Step = NonNullable<NonNullable<Cluster["status"]["provisioning"]>["step"]>;

/** How far a cluster is that Bowline makes: what is in the way first, then the step, what it costs and when it ends. */
export function ClusterMaking({ cluster }: { cluster: Cluster }): ReactNode {
  const { step, leftOver = [] } = cluster.status.provisioning ?? {};
  return (
    <Section
      title={`Made by ${cluster.spec.provider}`}
      aside={
        <span role="status" className="text-muted">
          {stateWords(cluster)}
        </span>
      }
    >
      <div className="space-y-3">
        <InTheWay cluster={cluster} />
        {step !== undefined && <StepLine step={step} />}
        {leftOver.length > 0 && <LeftOver names={leftOver} />}
        <Facts cluster={cluster} />
      </div>
    </Section>
  );
}

function InTheWay({ cluster }: { cluster: Cluster }): ReactNode {
  const trouble = troubleOf(cluster);
  if (trouble === undefined) return null;
  return (
    <div role="group" aria-label="What is in the way" className="rounded-md border border-degraded p-3">
      <p className="wrap-anywhere">
        <span className="font-semibold">{cleanText(trouble.reason, 128)}</span>{" "}
        {cleanText(trouble.message, 4_096)}
      </p>
      <p className="mt-1 text-muted">What to do: {trouble.advice}</p>
    </div>
  );
}

/** The step is read out when it changes; the time beside it goes on without a word. */
function StepLine({ step }: { step: Step }): ReactNode {
  const nowMs = useNowMs();
  const { number, of, text, since, expectedSeconds } = step;
  const done = partDone(step, nowMs);
  return (
    <div>
      <p role="status" className="wrap-anywhere">
        <span className="font-semibold">
          Step {number} of {of}
        </span>{" "}
        {cleanText(text, 253)}
      </p>
      <ProgressBar label={`Steps done, ${number - 1} of ${of}`} max={100} value={Math.round(done * 100)} />
      <p className="text-xs text-muted">
        For <Age at={since} />
        {expectedSeconds !== undefined && `, usually ${formatAge(expectedSeconds * 1_000)}`}
        {isSlow(step, nowMs) && <span className="text-missing">: longer than usual</span>}
      </p>
    </div>
  );
}

function LeftOver({ names }: { names: readonly string[] }): ReactNode {
  return (
    <div>
      <p className="mb-1 flex items-center gap-2 font-semibold">
        Still there after the deletion: {names.length}
        <CopyButton text={names.join("\n")} what="their names" />
      </p>
      <ul aria-label="Left over" className="max-h-40 list-disc overflow-auto pl-5">
        {names.map((name) => (
          <li key={name} className="font-mono wrap-anywhere">
            {cleanText(name, 500)}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Facts({ cluster: { spec, status } }: { cluster: Cluster }): ReactNode {
  const { hourlyCost, resources } = status.provisioning ?? {};
  const { deletionPolicy = "delete", maxNodes, protect = false } = spec;
  return (
    <dl className="grid grid-cols-[10rem_minmax(0,1fr)] gap-y-1">
      <Fact name="Costs about">{hourlyCost === undefined ? "–" : costWords(cleanText(hourlyCost, 63))}</Fact>
      <Fact name="Things outside">{resources === undefined ? "–" : resources.toLocaleString("en")}</Fact>
      <Fact name="Most machines">{maxNodes === undefined ? "no limit" : maxNodes.toLocaleString("en")}</Fact>
      <Fact name="Not needed after">
        <Expiry spec={spec} />
      </Fact>
      <Fact name="Protected">{protect ? "yes: a deletion is refused until this is taken back" : "no"}</Fact>
      <Fact name="When deleted here">
        {deletionPolicy === "orphan" ? "it stays where it is, and nobody knows of it" : "it is taken away"}
      </Fact>
    </dl>
  );
}

const dayMs = 86_400_000;

function Expiry({ spec: { expiresAt, autoDelete = false } }: Pick<Cluster, "spec">): ReactNode {
  const nowMs = useNowMs();
  const { timeZone } = usePreferences();
  if (expiresAt === undefined) return "no end";
  const leftMs = Date.parse(expiresAt) - nowMs;
  const then = autoDelete ? "deleted by itself then" : "stays then";
  const over = autoDelete ? "it is deleted by itself" : "it stays until somebody deletes it";
  return (
    <span className={leftMs > dayMs ? "" : "text-missing"}>
      {formatTime(Date.parse(expiresAt), timeZone)},{" "}
      {leftMs > 0 ? `in ${formatAge(leftMs)}; ${then}` : `over; ${over}`}
    </span>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }): ReactNode {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </>
  );
}
