import { AccessGrant, Cluster, WorkloadDefinition, WorkloadInstance, type Metadata } from "@bowline/api";
import { useMemo, type ReactNode } from "react";

import { useObjects } from "../../live/live-context.tsx";
import { cleanText } from "../../text/clean-text.ts";
import { PageLink } from "../../text/page-link.tsx";
import { isInTheWay, ListState } from "../../ui/list-state.tsx";
import { configObjectPath, shortCommit, type ConfigKind } from "../managed-by-git.tsx";

interface Managed {
  readonly kind: ConfigKind;
  readonly metadata: Metadata;
}

/** More are on the pages of their kinds. */
const mostShown = 500;

/** The objects that a source writes, with the way to each and the file that it is in. */
export function ConfigObjects({ source }: { source: string }): ReactNode {
  const selector = `metadata.managedBy.configSource=${source}`;
  const clusters = useObjects(Cluster, selector);
  const grants = useObjects(AccessGrant, selector);
  const definitions = useObjects(WorkloadDefinition, selector);
  const instances = useObjects(WorkloadInstance, selector);
  const managed = useMemo(
    () =>
      [clusters, grants, definitions, instances]
        .flatMap(({ items }): Managed[] => [...items.values()])
        .toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1)),
    [clusters, grants, definitions, instances],
  );
  const blocked = [clusters, grants, definitions, instances].find((list) => isInTheWay(list));
  if (blocked !== undefined) return <ListState list={blocked} what="its objects" isPart />;
  if (managed.length === 0) return <p className="text-muted">No object comes from it yet.</p>;
  return (
    <>
      <ul aria-label="Objects from it" className="divide-y divide-border">
        {managed.slice(0, mostShown).map((object) => (
          <ManagedLine key={keyOf(object)} object={object} />
        ))}
      </ul>
      {managed.length > mostShown && (
        <p className="text-muted">{managed.length - mostShown} more are not shown.</p>
      )}
    </>
  );
}

function keyOf({ kind, metadata }: Managed): string {
  return `${kind} ${metadata.name}`;
}

function ManagedLine({ object: { kind, metadata } }: { object: Managed }): ReactNode {
  const { name, managedBy } = metadata;
  return (
    <li className="flex flex-wrap items-baseline gap-x-2 py-1">
      <span className="text-muted">{kind}</span>
      <PageLink path={configObjectPath(kind, name)}>{cleanText(name)}</PageLink>
      {managedBy !== undefined && (
        <span className="ml-auto text-xs text-muted wrap-anywhere">
          {cleanText(managedBy.file, 1_024)} ·{" "}
          <span title={managedBy.commit}>{shortCommit(managedBy.commit)}</span>
        </span>
      )}
      {managedBy?.overriddenBy !== undefined && (
        <span className="basis-full text-missing">
          Changed by hand by {cleanText(managedBy.overriddenBy, 100)}; the next commit sets it right.
        </span>
      )}
    </li>
  );
}
