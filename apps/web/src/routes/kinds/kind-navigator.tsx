import type { DiscoveredResource } from "@bowline/kube/shapes";
import { Link } from "@tanstack/react-router";
import { useId, useMemo, useState, type ReactNode } from "react";

import { kindGroups } from "../../kube/discovery.ts";
import { kindParams, type KindPlace } from "../../kube/places.ts";
import { failureIn } from "../../live/answers.ts";
import { cleanText } from "../../text/clean-text.ts";
import { Failed, Loading } from "../../ui/states.tsx";
import { useApis } from "../cluster-apis.ts";

export interface KindNavigatorProps {
  readonly cluster: string;
  readonly current?: KindPlace | undefined;
  /** Stays as one goes from kind to kind. */
  readonly namespace?: string | undefined;
}

/** All kinds of a cluster, those of custom resources among them. */
export function KindNavigator({ cluster, current, namespace }: KindNavigatorProps): ReactNode {
  const { data, error, isPending, refetch } = useApis(cluster);
  const [filter, setFilter] = useState("");
  const id = useId();
  const groups = useMemo(() => {
    const words = filter.toLowerCase().split(/\s+/u).filter(Boolean);
    return (data === undefined ? [] : kindGroups(data))
      .map(({ name, kinds }) => ({ name, kinds: kinds.filter((kind) => matches(kind, name, words)) }))
      .filter(({ kinds }) => kinds.length > 0);
  }, [data, filter]);
  const failure = failureIn(error);
  if (failure !== undefined && current !== undefined) {
    // Beside a table, which says more.
    return (
      <p className="p-2 text-xs text-muted">The kinds are not known: {cleanText(failure.message, 300)}</p>
    );
  }
  if (failure !== undefined) return <Failed failure={failure} onRetry={() => void refetch()} />;
  if (isPending) return <Loading what="the kinds of the cluster" />;
  return (
    <>
      <label htmlFor={id} className="sr-only">
        Filter kinds
      </label>
      <input
        id={id}
        type="search"
        value={filter}
        placeholder="Filter kinds"
        className="mb-2 w-full rounded-sm border border-control bg-bg px-2 py-1"
        onChange={(event) => setFilter(event.target.value)}
      />
      {groups.map(({ name, kinds }) => (
        <section key={name} className="mb-2 break-inside-avoid">
          <h2 className="px-2 text-xs text-muted">{cleanText(name)}</h2>
          <ul>
            {kinds.map((kind) => (
              <li key={`${kind.group}/${kind.plural}`}>
                <KindLink cluster={cluster} kind={kind} current={current} namespace={namespace} />
              </li>
            ))}
          </ul>
        </section>
      ))}
      {groups.length === 0 && <p className="px-2 text-muted">No kind has this in its name.</p>}
      {(data?.failures ?? []).map(({ group, version }) => (
        <p key={`${group}/${version}`} className="px-2 text-xs text-missing">
          {cleanText(`${group}/${version}`)} does not answer.
        </p>
      ))}
    </>
  );
}

interface KindLinkProps extends KindNavigatorProps {
  readonly kind: DiscoveredResource;
}

function KindLink({ cluster, kind, current, namespace }: KindLinkProps): ReactNode {
  const { group, version, plural } = kind;
  const isCurrent = current?.group === group && current.resource === plural;
  return (
    <Link
      to="/c/$cluster/k/$group/$version/$resource"
      params={kindParams({ cluster, group, version, resource: plural })}
      search={namespace === undefined || !kind.namespaced ? {} : { ns: namespace }}
      preload={false}
      aria-current={isCurrent ? "page" : undefined}
      className={`block truncate rounded-sm px-2 py-0.5 text-text no-underline hover:bg-raised ${isCurrent ? "bg-raised font-semibold" : ""}`}
    >
      {cleanText(kind.kind, 100)}
    </Link>
  );
}

function matches(kind: DiscoveredResource, group: string, words: readonly string[]): boolean {
  const text = [kind.kind, kind.plural, kind.group, group, ...kind.shortNames].join(" ").toLowerCase();
  return words.every((word) => text.includes(word));
}
