import { useParams, useSearch } from "@tanstack/react-router";
import { useMemo, type ReactNode } from "react";

import { kindPlace, listPath } from "../../kube/places.ts";
import { tableLists, type TableRow } from "../../kube/tables.ts";
import { useLive } from "../../live/live-context.tsx";
import type { LiveSnapshot } from "../../live/watched-objects.ts";
import { cleanText } from "../../text/clean-text.ts";
import { PageHead } from "../../ui/page-head.tsx";
import { FilterField } from "../../ui/text-field.tsx";
import { findKind, useApis } from "../cluster-apis.ts";
import { ClusterPath } from "./cluster-path.tsx";
import { KindNavigator } from "./kind-navigator.tsx";
import { KindRows } from "./kind-rows.tsx";
import { kindRoute, useSetSearch } from "./kind-search.ts";
import { LabelField } from "./label-field.tsx";
import { NamespaceChoice } from "./namespace-choice.tsx";
import { useNamespaces } from "./namespaces.ts";

/** Any kind of any cluster, live. */
export function KindTable(): ReactNode {
  const params = useParams({ from: kindRoute });
  const place = useMemo(() => kindPlace(params), [params]);
  const { ns, l, q = "", wide, trouble } = useSearch({ from: kindRoute });
  const set = useSetSearch();
  const { data: apis } = useApis(place.cluster);
  const kind = findKind(apis, place);
  const namespaces = useNamespaces(place.cluster);
  const list = useLive(listPath(place, { namespace: ns, labelSelector: l }), tableLists);
  const title = cleanText(kind?.kind ?? place.resource, 100);
  return (
    <>
      <PageHead title={title}>
        <ClusterPath cluster={place.cluster} />
        {kind?.namespaced !== false && (
          <NamespaceChoice
            namespaces={namespaces}
            value={ns}
            onChange={(value) => set({ ns: value ?? "" })}
          />
        )}
        <LabelField value={l ?? ""} onChange={(value) => set({ l: value ?? "" })} />
        <FilterField value={q} onChange={(value) => set({ q: value })} count={countText(list)} />
        <Toggle label="all columns" isOn={wide === true} onChange={(value) => set({ wide: value })} />
        <Toggle label="trouble first" isOn={trouble === true} onChange={(value) => set({ trouble: value })} />
      </PageHead>
      <div className="flex min-h-0 flex-1">
        <nav
          aria-label="Kinds"
          className="hidden w-52 shrink-0 overflow-auto border-r border-border bg-surface p-2 lg:block"
        >
          <KindNavigator cluster={place.cluster} current={place} namespace={ns} />
        </nav>
        <div className="flex min-h-0 min-w-0 flex-1 flex-col">
          <KindRows
            key={`${place.group}/${place.resource}`}
            place={place}
            title={title}
            list={list}
            names={namespaces.names ?? []}
          />
        </div>
      </div>
    </>
  );
}

interface ToggleProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

function Toggle({ label, isOn, onChange }: ToggleProps): ReactNode {
  return (
    <label className="flex min-h-6 items-center gap-1 text-xs text-muted">
      <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.target.checked)} />
      {label}
    </label>
  );
}

/** `1,200 of 3,000` while they come. */
function countText({ items, total, phase }: LiveSnapshot<TableRow>): string {
  const count = items.size.toLocaleString("en");
  if (phase === "connecting" || phase === "failed") return "";
  return total === undefined || total <= items.size ? count : `${count} of ${total.toLocaleString("en")}`;
}
