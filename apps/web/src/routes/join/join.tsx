import { Cluster, defaultRights } from "@bowline/api";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";

import { failureIn } from "../../live/answers.ts";
import type { Failure } from "../../live/failure.ts";
import { useObjects } from "../../live/live-context.tsx";
import { cleanText } from "../../text/clean-text.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { HealthMark } from "../../ui/health-mark.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { Failed } from "../../ui/states.tsx";
import { useWhoami } from "../session.ts";
import { JoinForm } from "./join-form.tsx";
import type { JoinInput } from "./join-input.ts";
import { JoinLines, JoinRefusals, useJoinSteps } from "./join-lines.tsx";
import { isJoined } from "./join-steps.ts";
import { createCluster, useKeptToken, useStrangers } from "./join-token.ts";
import { JoinWays } from "./join-ways.tsx";

/** A cluster joins: first what it is called, then what to do there, and what has come of it so far. */
export function Join(): ReactNode {
  const { name } = useSearch({ from: "/_in/clusters/add" });
  return name === undefined ? <NewCluster /> : <JoiningCluster key={name} name={name} />;
}

function NewCluster(): ReactNode {
  const navigate = useNavigate();
  const { items } = useObjects(Cluster);
  const { data: me } = useWhoami();
  const { make } = useKeptToken("");
  const [failure, setFailure] = useState<Failure>();
  const [isBusy, setBusy] = useState(false);
  const create = async (input: JoinInput): Promise<void> => {
    setBusy(true);
    setFailure(undefined);
    try {
      await createCluster(input);
      await make(input);
      await navigate({ to: "/clusters/add", search: { name: input.name } });
    } catch (error) {
      setFailure(failureIn(error));
    } finally {
      setBusy(false);
    }
  };
  const refusal =
    me?.role === "viewer" ? "You are a viewer here; to join clusters takes the role editor." : undefined;
  return (
    <>
      <PageHead title="Join a cluster">
        <Link to="/clusters" className="ml-auto">
          Close
        </Link>
      </PageHead>
      <div className="overflow-auto p-4">
        {failure !== undefined && <Failed failure={failure} />}
        <JoinForm
          existing={[...items.values()]}
          isBusy={isBusy}
          refusal={refusal}
          onSubmit={(input) => void create(input)}
        />
      </div>
    </>
  );
}

function JoiningCluster({ name }: { name: string }): ReactNode {
  const clusters = useObjects(Cluster);
  const cluster = [...clusters.items.values()].find(({ metadata }) => metadata.name === name);
  const { token, make } = useKeptToken(name);
  const { steps, events } = useJoinSteps(name);
  const { data: me } = useWhoami();
  const [openedAtMs] = useState(() => Date.now());
  const [failure, setFailure] = useState<Failure>();
  const [isBusy, setBusy] = useState(false);
  const sinceMs = token?.madeAtMs ?? openedAtMs;
  const isDone = isJoined(steps);
  const { rights = defaultRights, image = "" } = token?.input ?? {};
  const renew = async (): Promise<void> => {
    setBusy(true);
    setFailure(undefined);
    try {
      await make({ name, rights, image, expiresInSeconds: 3_600 });
    } catch (error) {
      setFailure(failureIn(error));
    } finally {
      setBusy(false);
    }
  };
  if (clusters.phase === "live" && cluster === undefined) return <NoSuchCluster name={name} />;
  const labels = cluster?.metadata.labels ?? {};
  return (
    <>
      <PageHead title={`Join ${cleanText(name, 63)}`}>
        <Link to="/clusters" className="ml-auto">
          Close
        </Link>
      </PageHead>
      <div className="grid gap-6 overflow-auto p-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <section aria-label="What to do">
          {failure !== undefined && <Failed failure={failure} />}
          {isDone ? (
            <Done name={name} />
          ) : (
            <JoinWays
              input={{ name, labels, region: cluster?.spec.region ?? "", rights, image }}
              token={token}
              isBusy={isBusy}
              onNewToken={() => void renew()}
            />
          )}
        </section>
        <section aria-label="So far">
          <JoinLines steps={steps} />
          {!isDone && <JoinRefusals events={[...events.values()]} sinceMs={sinceMs} />}
          {!isDone && me?.role === "admin" && <Strangers sinceMs={sinceMs} />}
          <p className="mt-4 text-xs text-muted">
            You can close this: the page of the cluster shows the same, and nothing is lost.
          </p>
        </section>
      </div>
    </>
  );
}

/** Refusals that name no cluster: it may be this one. */
function Strangers({ sinceMs }: { sinceMs: number }): ReactNode {
  const { data } = useStrangers(sinceMs, true);
  if (data === undefined || data.items.length === 0) return null;
  return (
    <ul aria-label="Refused without a name" className="mt-3 space-y-2">
      {data.items.slice(0, 3).map(({ id, message = "", actor }) => (
        <li key={id} className="rounded-sm border border-missing p-2">
          <span className="font-semibold text-missing">
            Somebody at {cleanText(actor.address ?? "an unknown address", 64)} was refused.
          </span>{" "}
          {cleanText(message, 500)}
        </li>
      ))}
    </ul>
  );
}

function NoSuchCluster({ name }: { name: string }): ReactNode {
  return (
    <>
      <PageHead title="Join a cluster" />
      <p className="p-4">
        There is no cluster {cleanText(name, 63)}. <Link to="/clusters/add">Join one</Link>
      </p>
    </>
  );
}

/** It is there: what one does next. */
function Done({ name }: { name: string }): ReactNode {
  const kubectl = `bowline kubectl ${name} -- get pods -A`;
  return (
    <div className="space-y-4">
      <p className="text-lg">
        <HealthMark health="Healthy" word={false} /> {cleanText(name, 63)} has joined.
      </p>
      <ul className="list-disc space-y-2 pl-5">
        <li>
          <Link to="/c/$cluster" params={{ cluster: name }}>
            Open {cleanText(name, 63)}
          </Link>
        </li>
        <li>
          <a href="/ui/access">Give people access</a>
          <span className="text-muted">
            : nobody reaches a cluster without an AccessGrant, admins neither.
          </span>
        </li>
        <li>
          <a href="/ui/workloads">Deploy something</a>
        </li>
        <li>
          Look into it with kubectl: <code className="font-mono">{kubectl}</code>{" "}
          <CopyButton text={kubectl} what="the command" />
        </li>
      </ul>
    </div>
  );
}
