import type { ReactNode } from "react";

import { failureIn } from "../../live/answers.ts";
import { useNowMs } from "../../live/now.ts";
import { cleanText } from "../../text/clean-text.ts";
import { formatTime } from "../../text/time.ts";
import { Failed, Loading } from "../../ui/states.tsx";
import { useClusterAccess } from "../clusters/cluster-queries.ts";
import { useWhoami } from "../session.ts";

/** By which grants, and as whom, the reader reaches the cluster. */
export function MyAccess({ cluster }: { cluster: string }): ReactNode {
  useNowMs();
  const { data, error } = useClusterAccess(cluster);
  const { data: me } = useWhoami();
  const failure = failureIn(error);
  if (failure !== undefined) return <Failed failure={failure} />;
  if (data === undefined) return <Loading what="your AccessGrants" />;
  if (data.grants.length === 0) {
    return (
      <p>
        Nothing in it: no AccessGrant lets {cleanText(me?.user ?? "you", 253)} in.{" "}
        <span className="text-muted">
          {me?.role === "admin" ? "You may make one; admins need it too." : "Ask an admin for one."}
        </span>
      </p>
    );
  }
  return (
    <>
      <ul className="space-y-2">
        {data.grants.map(({ name, user, groups, namespaces, until }) => (
          <li key={name}>
            <span className="font-semibold">{cleanText(name, 253)}</span>{" "}
            <span className="text-muted">
              as the user <code>{cleanText(user, 253)}</code>
              {groups.length === 0 ? "" : " with the groups "}
              {groups.length > 0 && <code>{cleanText(groups.join(", "), 500)}</code>},{" "}
              {namespaces === undefined
                ? "in all namespaces"
                : `in ${cleanText(namespaces.join(", "), 500)} only`}
              {until === undefined ? "" : `, until ${formatTime(Date.parse(until))}`}
            </span>
          </li>
        ))}
      </ul>
      <p className="mt-2 text-xs text-muted">
        What that user and those groups may do, the roles in the cluster say. Of several grants that cover a
        request, the first counts.
      </p>
    </>
  );
}
