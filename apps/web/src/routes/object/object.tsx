import { healthFacts, judge } from "@bowline/health";
import type { KubeObject } from "@bowline/kube/shapes";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Suspense, useMemo, useState, type ReactNode } from "react";

import { kubectlCommand, objectPlace, type ObjectPlace } from "../../kube/places.ts";
import type { RefusedActions } from "../../kube/rights.ts";
import { isScalable } from "../../kube/scale.ts";
import { useNowMs } from "../../live/now.ts";
import { cleanText } from "../../text/clean-text.ts";
import { Button } from "../../ui/button.tsx";
import { HealthMark } from "../../ui/health-mark.tsx";
import { useKeys, type KeyAction } from "../../ui/keys.ts";
import { PageHead } from "../../ui/page-head.tsx";
import { Empty, Loading } from "../../ui/states.tsx";
import { TabLinks } from "../../ui/tab-links.tsx";
import { ClusterPath } from "../kinds/cluster-path.tsx";
import { ListState } from "../../ui/list-state.tsx";
import { DeleteDialog } from "./delete-dialog.tsx";
import { ScaleDialog } from "./scale-dialog.tsx";
import { objectTabs, type ObjectTabProps } from "./tabs.ts";
import { useObject, type WatchedObject } from "./use-object.ts";
import { useRefusedActions } from "./use-refused-actions.ts";

const from = "/_in/c/$cluster/o/$group/$version/$resource/$namespace/$name";

/** Any object of any cluster. */
export function ObjectPage(): ReactNode {
  const params = useParams({ from });
  const place = useMemo(() => objectPlace(params), [params]);
  const watched = useObject(place);
  const { object, list, failure, retry } = watched;
  const refused = useRefusedActions(place, object);
  return (
    <>
      <PageHead title={cleanText(place.name, 253)}>
        <ClusterPath cluster={place.cluster} kind={place} />
        {object !== undefined && (
          <HeadFacts place={place} watched={watched} object={object} refused={refused} />
        )}
      </PageHead>
      <ListState list={{ ...list, failure }} onRetry={retry} />
      {failure === undefined && object === undefined && <Absent place={place} watched={watched} />}
      {object !== undefined && (
        <Tabs place={place} object={object} isGone={watched.isGone} refused={refused} />
      )}
    </>
  );
}

function Absent({ place, watched }: { place: ObjectPlace; watched: WatchedObject }): ReactNode {
  const { list } = watched;
  if (list.phase !== "live") return list.trouble === undefined ? <Loading what={place.name} /> : null;
  return (
    <Empty>
      There is no <strong>{cleanText(place.name, 253)}</strong> among the {cleanText(place.resource, 100)}
      {place.namespace === undefined ? "" : ` of the namespace ${cleanText(place.namespace, 63)}`} in{" "}
      {cleanText(place.cluster, 63)}. If it comes, it will be here.
    </Empty>
  );
}

interface HeadFactsProps {
  readonly place: ObjectPlace;
  readonly watched: WatchedObject;
  readonly object: KubeObject;
  readonly refused: RefusedActions;
}

function HeadFacts({ place, watched, object, refused }: HeadFactsProps): ReactNode {
  const nowMs = useNowMs();
  const [isDeleting, setDeleting] = useState(false);
  const [isScaling, setScaling] = useState(false);
  const { health, message } = judge(healthFacts(object), new Date(nowMs));
  const navigate = useNavigate();
  return (
    <>
      <span className="text-muted">{cleanText(object.kind, 100)}</span>
      {watched.isGone ? (
        <span role="status" className="rounded-sm bg-surface px-2 text-missing">
          Gone. This is how it was last seen.
        </span>
      ) : (
        <span className="flex items-center" title={cleanText(message, 600)}>
          <HealthMark health={health} />
        </span>
      )}
      {!watched.isGone && (
        <span className="ml-auto flex gap-2">
          {isScalable(place) && (
            <Button off={refused.scale} onClick={() => setScaling(true)}>
              Scale
            </Button>
          )}
          <Button look="danger" off={refused.delete} onClick={() => setDeleting(true)}>
            Delete
          </Button>
        </span>
      )}
      {isScaling && <ScaleDialog place={place} object={object} onClose={() => setScaling(false)} />}
      {isDeleting && (
        <DeleteDialog
          place={place}
          object={object}
          onClose={() => setDeleting(false)}
          onDeleted={() => {
            setDeleting(false);
            void navigate({ to: ".", search: {}, replace: true });
          }}
        />
      )}
    </>
  );
}

function Tabs({ place, object, isGone, refused }: ObjectTabProps): ReactNode {
  const { tab } = useSearch({ from });
  const tabs = objectTabs.filter(({ isFor }) => isFor === undefined || isFor(object));
  const current = tabs.find(({ id }) => id === tab) ?? tabs[0];
  const reasonOf = ({ action }: (typeof tabs)[number]): string | undefined =>
    action === undefined ? undefined : refused[action];
  const open = tabs.filter((one) => reasonOf(one) === undefined);
  useTabKeys(place, open.map(({ id }) => id).join(" "));
  const reason = current === undefined ? undefined : reasonOf(current);
  const Show = current?.Show;
  return (
    <>
      <TabLinks
        label="Views"
        tabs={tabs.map((one) => ({ tab: one.id, name: one.label, off: reasonOf(one) }))}
        current={current?.id ?? ""}
      />
      {/* oxlint-disable-next-line no-noninteractive-tabindex -- who has no mouse scrolls by keys */}
      <div tabIndex={0} className="min-h-0 flex-1 overflow-auto [&_li_a]:underline">
        {reason !== undefined && (
          <p role="status" className="border-b border-border bg-surface px-4 py-2 text-missing">
            {cleanText(reason, 500)}
          </p>
        )}
        <Suspense fallback={<Loading what={current?.label ?? ""} />}>
          {Show !== undefined && <Show place={place} object={object} isGone={isGone} refused={refused} />}
        </Suspense>
      </div>
    </>
  );
}

/** Keys go from tab to tab; `ids` are those that the object has. */
function useTabKeys(place: ObjectPlace, ids: string): void {
  const navigate = useNavigate();
  const actions = useMemo((): KeyAction[] => {
    const shown = new Set(ids.split(" "));
    const copy = (text: string) => () => void navigator.clipboard.writeText(text);
    return [
      ...objectTabs
        .filter(({ id }) => shown.has(id))
        .map(({ id, label, key }) => ({
          keys: key,
          does: `Show ${label}`,
          run: () => void navigate({ to: ".", search: { tab: id }, replace: true }),
        })),
      { keys: "c", does: "Copy the name", run: copy(place.name) },
      { keys: "C", does: "Copy the kubectl command", run: copy(kubectlCommand(place)) },
    ];
  }, [ids, navigate, place]);
  useKeys(actions);
}
