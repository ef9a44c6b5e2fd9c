import type { GraphAnswer, GraphData } from "@bowline/api";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { failureIn } from "../../live/answers.ts";
import { request } from "../../live/request.ts";
import { cleanText } from "../../text/clean-text.ts";
import { Failed, Loading } from "../../ui/states.tsx";
import { useApis } from "../cluster-apis.ts";
import { AnswerGaps, NodeLink, nodeText } from "./graph-parts.tsx";
import type { ObjectTabProps } from "./tabs.ts";

/** Kinds that others use by name. */
const usedKinds = new Set(["Secret", "ConfigMap", "PersistentVolumeClaim", "ServiceAccount"]);

/** Who uses an object, what depends on it, and what it reaches. */
export function UsesTab({ place, object }: ObjectTabProps): ReactNode {
  const node = `${object.kind}/${place.namespace ?? ""}/${place.name}`;
  const isUsed = usedKinds.has(object.kind);
  return (
    <div className="space-y-5 p-4">
      {isUsed && <Users node={node} cluster={place.cluster} />}
      <Around node={node} cluster={place.cluster} />
    </div>
  );
}

function useQuestion<Name extends "uses" | "blast-radius">(
  name: Name,
  node: string,
  cluster: string,
): UseQueryResult<GraphAnswer<GraphData<Name>>> {
  const query = new URLSearchParams({ node, cluster });
  return useQuery({
    queryKey: [name, query.toString()],
    queryFn: ({ signal }) =>
      request<GraphAnswer<GraphData<Name>>>(`/api/v1/graph/${name}?${query}`, { signal }),
  });
}

function Users({ node, cluster }: { node: string; cluster: string }): ReactNode {
  const { data: apis } = useApis(cluster);
  const { data, error, isPending } = useQuestion("uses", node, cluster);
  const failure = failureIn(error);
  if (failure !== undefined) return <Failed failure={failure} />;
  if (isPending || data === undefined) return <Loading what="who uses it" />;
  const { users } = data.data;
  return (
    <section>
      <h2 className="mb-1 text-lg">Used by</h2>
      <AnswerGaps answer={data} />
      {users.length === 0 && <p className="text-muted">Nobody, as far as was observed.</p>}
      <ul className="space-y-1">
        {users.map(({ user, owners, ways }) => (
          <li key={nodeText(user)}>
            <NodeLink node={user} apis={apis} cluster={cluster} />
            {owners.map((owner) => (
              <span key={nodeText(owner)}>
                {" ← "}
                <NodeLink node={owner} apis={apis} cluster={cluster} />
              </span>
            ))}
            <div className="text-xs text-muted">
              {ways
                .flat()
                .map((edge) => ("withheld" in edge ? "" : cleanText(edge.sentence, 300)))
                .join(" · ")}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Around({ node, cluster }: { node: string; cluster: string }): ReactNode {
  const { data, error, isPending } = useQuestion("blast-radius", node, cluster);
  const failure = failureIn(error);
  if (failure !== undefined) return <Failed failure={failure} />;
  if (isPending || data === undefined) return <Loading what="what is connected with it" />;
  const { depending, reached } = data.data;
  return (
    <>
      <AnswerGaps answer={data} />
      <Concerned title="Depends on it" cluster={cluster} of={depending} />
      <Concerned title="It reaches" cluster={cluster} of={reached} />
    </>
  );
}

interface ConcernedProps {
  readonly title: string;
  readonly cluster: string;
  readonly of: GraphData<"blast-radius">["reached"];
}

function Concerned({ title, cluster, of }: ConcernedProps): ReactNode {
  const { data: apis } = useApis(cluster);
  return (
    <section>
      <h2 className="mb-1 text-lg">{title}</h2>
      {of.length === 0 && <p className="text-muted">Nothing, as far as was observed.</p>}
      <ul className="space-y-1">
        {of.map(({ node, hop, because, replicas }) => (
          <li key={`${hop} ${nodeText(node)}`} className={hop > 1 ? "pl-4" : ""}>
            <NodeLink node={node} apis={apis} cluster={cluster} />
            {replicas === undefined ? "" : ` × ${replicas}`}
            <span className="ml-2 text-xs text-muted">
              {"withheld" in because ? "" : cleanText(because.sentence, 300)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
