import type { AgentSession, AgentSessionList, Cluster } from "@bowline/api";
import type { ReactNode } from "react";

import { failureIn } from "../../live/answers.ts";
import { useNowMs } from "../../live/now.ts";
import { byteSize } from "../../text/byte-size.ts";
import { cleanText } from "../../text/clean-text.ts";
import { ageOf, formatTime } from "../../text/time.ts";
import { Sparkline } from "../../ui/sparkline.tsx";
import { Failed, Loading } from "../../ui/states.tsx";
import { rttText } from "../clusters/cluster-columns.tsx";
import { useAgentSessions } from "../clusters/cluster-queries.ts";

/** The connections of its agent, with numbers that move, and how the last ones ended. */
export function ClusterTunnel({ cluster }: { cluster: Cluster }): ReactNode {
  const { data, error } = useAgentSessions(cluster.metadata.name);
  const failure = failureIn(error);
  if (failure !== undefined) return <Failed failure={failure} />;
  if (data === undefined) return <Loading what="the sessions" />;
  return (
    <div className="space-y-3">
      {data.items.length === 0 && <NoSession cluster={cluster} />}
      {data.items.map((session) => (
        <Session key={session.id} session={session} />
      ))}
      <Ended ended={data.ended ?? []} />
    </div>
  );
}

function NoSession({ cluster }: { cluster: Cluster }): ReactNode {
  const nowMs = useNowMs();
  const { agent } = cluster.status;
  return (
    <p className="text-muted">
      No agent is connected.
      {agent === undefined ? "" : ` It was last heard from ${ageOf(agent.lastSeenAt, nowMs)} ago.`}
    </p>
  );
}

function Session({ session }: { session: AgentSession }): ReactNode {
  const nowMs = useNowMs();
  const { openedAt, replica, numbers } = session;
  const head = (
    <p className="text-xs text-muted" title={formatTime(Date.parse(openedAt))}>
      Open for {ageOf(openedAt, nowMs)},{" "}
      {replica === undefined
        ? "at a replica that is stopping"
        : `at the replica ${cleanText(replica.slice(0, 8))}`}
      {numbers?.isDraining === true ? ", draining" : ""}
    </p>
  );
  if (numbers === undefined) {
    return (
      <div>
        {head}
        <p className="text-muted">
          Its numbers are known to that replica, and this page is answered by another one.
        </p>
      </div>
    );
  }
  const trips = numbers.roundTripsMs;
  const facts: readonly (readonly [name: string, value: ReactNode])[] = [
    [
      "Round trip",
      <span key="rtt" className="flex items-center gap-2">
        <span className="whitespace-nowrap">{rttText(numbers.rttMs)}</span>
        <Sparkline
          values={trips}
          capacity={20}
          label={`Round trips of the last minutes: ${trips.join(", ")} ms`}
        />
      </span>,
    ],
    ["Streams", String(numbers.streams)],
    ["Received", byteSize(numbers.receivedBytes)],
    ["Sent", byteSize(numbers.sentBytes)],
    ["Held", byteSize(numbers.heldBytes)],
    ["Tunnels", String(numbers.tunnels)],
    ["Last heard", `${ageOf(numbers.lastSeenAt, nowMs)} ago`],
    ["Agent", cleanText(numbers.agentVersion, 64)],
  ];
  return (
    <div>
      {head}
      <dl className="mt-1 grid grid-cols-2 gap-x-6 gap-y-1 sm:grid-cols-4">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt className="text-xs text-muted">{name}</dt>
            <dd className="text-lg">{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function Ended({ ended }: { ended: NonNullable<AgentSessionList["ended"]> }): ReactNode {
  const nowMs = useNowMs();
  if (ended.length === 0) return null;
  return (
    <div>
      <h3 className="text-xs text-muted">How the last ones with this replica ended</h3>
      <ul>
        {ended.map(({ id, endedAt, message }) => (
          <li key={id} title={formatTime(Date.parse(endedAt))}>
            {ageOf(endedAt, nowMs)} ago: {cleanText(message, 300)}
          </li>
        ))}
      </ul>
    </div>
  );
}
