import type { GraphAnswer, GraphData } from "@bowline/api";
import { useQuery } from "@tanstack/react-query";
import { useId, useState, type ReactNode } from "react";

import { resourceName, type ObjectPlace } from "../../kube/places.ts";
import { failureIn } from "../../live/answers.ts";
import { request } from "../../live/request.ts";
import { cleanText } from "../../text/clean-text.ts";
import { Failed, Loading } from "../../ui/states.tsx";
import { AnswerGaps, nodeText } from "./graph-parts.tsx";
import type { ObjectTabProps } from "./tabs.ts";

type WhoCan = GraphData<"who-can">;

/** Who can do what to it: by the roles of the cluster, and by the grants of Bowline. */
export function AccessTab({ place, object }: ObjectTabProps): ReactNode {
  const [verb, setVerb] = useState("get");
  const id = useId();
  const verbs = [
    "get",
    "list",
    "watch",
    "update",
    "patch",
    "delete",
    ...(object.kind === "Pod" ? ["exec", "log"] : []),
  ];
  return (
    <div className="p-4">
      <label htmlFor={id} className="mr-2">
        Who can
      </label>
      <select
        id={id}
        value={verb}
        className="rounded-sm border border-control bg-bg px-2 py-1"
        onChange={(event) => setVerb(event.target.value)}
      >
        {verbs.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>{" "}
      {cleanText(place.name, 253)}?
      <Answer place={place} verb={verb} />
    </div>
  );
}

/** What `exec` and `log` are in rules. */
const subresources: Readonly<Record<string, readonly [verb: string, subresource: string]>> = {
  exec: ["create", "exec"],
  log: ["get", "log"],
};

function Answer({ place, verb }: { place: ObjectPlace; verb: string }): ReactNode {
  const { cluster, namespace, name } = place;
  const [asked, subresource] = subresources[verb] ?? [verb, undefined];
  const query = new URLSearchParams({
    verb: asked,
    resource: `${resourceName(place)}${subresource === undefined ? "" : `/${subresource}`}`,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    cluster,
  });
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ["who-can", query.toString()],
    queryFn: ({ signal }) => request<GraphAnswer<WhoCan>>(`/api/v1/graph/who-can?${query}`, { signal }),
  });
  const failure = failureIn(error);
  if (failure !== undefined) return <Failed failure={failure} onRetry={() => void refetch()} />;
  if (isPending || data === undefined) return <Loading what="the answer" />;
  const { people, holders, accounts, warnings } = data.data;
  return (
    <div className="mt-3 space-y-4">
      <AnswerGaps answer={data} />
      {warnings.map((warning) => (
        <p key={warning} className="text-missing">
          {cleanText(warning)}
        </p>
      ))}
      <Group title="People, through Bowline" empty="Nobody reaches it through Bowline.">
        {people.map((person) => (
          <li key={`${person.user}/${person.group}/${person.grant}`}>
            <strong>{cleanText(person.user ?? `group ${person.group}`, 200)}</strong>
            <span className="text-muted">
              {" "}
              by the grant {cleanText(person.grant, 100)}, as{" "}
              {cleanText(person.kubernetesUser ?? "themselves", 100)}
              {person.kubernetesGroups.length === 0
                ? ""
                : ` in ${cleanText(person.kubernetesGroups.join(", "), 200)}`}
            </span>
          </li>
        ))}
      </Group>
      <Group title="In the cluster, by its roles" empty="No binding lets anybody.">
        {holders.map(({ subject, isMaster, grants }) => (
          <li key={nodeText(subject)}>
            <strong>{nodeText(subject)}</strong>
            <span className="text-muted">
              {isMaster === true
                ? " may do everything"
                : ` by ${grants.map(({ binding, role }) => `${nodeText(binding)} → ${nodeText(role)}`).join("; ")}`}
            </span>
          </li>
        ))}
      </Group>
      <Group title="ServiceAccounts, and the pods that run as them" empty="No ServiceAccount can.">
        {accounts.map(({ account, podCount }) => (
          <li key={nodeText(account)}>
            <strong>{nodeText(account)}</strong>
            <span className="text-muted"> · {podCount === 1 ? "1 pod" : `${podCount} pods`}</span>
          </li>
        ))}
      </Group>
    </div>
  );
}

function Group({
  title,
  empty,
  children,
}: {
  title: string;
  empty: string;
  children: readonly ReactNode[];
}): ReactNode {
  return (
    <section>
      <h2 className="mb-1 text-lg">{title}</h2>
      {children.length === 0 ? (
        <p className="text-muted">{empty}</p>
      ) : (
        <ul className="space-y-1">{children}</ul>
      )}
    </section>
  );
}
