import { Cluster } from "@bowline/api";
import { useQuery } from "@tanstack/react-query";
import { useParams, useRouter, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { readActingAs } from "../../kube/acting-as.ts";
import { useObjects } from "../../live/live-context.tsx";
import { cleanText } from "../../text/clean-text.ts";
import { PageHead } from "../../ui/page-head.tsx";
import { Empty } from "../../ui/states.tsx";
import { openShellBelow } from "../open-below.tsx";
import { useWhoami } from "../session.ts";
import { ShellView } from "./shell-view.tsx";

/** A shell as a screen of its own, which a link leads to. */
export function Shell(): ReactNode {
  const { cluster } = useParams({ from: "/_in/c/$cluster/shell" });
  const { ns, pod, container } = useSearch({ from: "/_in/c/$cluster/shell" });
  const path = [cluster, ns, pod, container].filter((part) => part !== undefined).join(" / ");
  const isProduction = useIsProduction(cluster);
  const router = useRouter();
  return (
    <>
      <PageHead title={`Shell in ${cleanText(path, 200)}`}>
        <As cluster={cluster} namespace={ns ?? ""} />
        {isProduction && (
          <span className="rounded-sm bg-degraded px-2 font-semibold text-on-accent">production</span>
        )}
        {ns !== undefined && pod !== undefined && (
          <button
            type="button"
            className="ml-auto text-accent"
            onClick={() => {
              openShellBelow({ cluster, namespace: ns, pod, container });
              router.history.back();
            }}
          >
            Open below instead
          </button>
        )}
      </PageHead>
      {ns === undefined || pod === undefined ? (
        <Empty>The address names no pod.</Empty>
      ) : (
        <div className={`flex min-h-0 flex-1 flex-col ${isProduction ? "border-2 border-degraded" : ""}`}>
          <ShellView cluster={cluster} namespace={ns} pod={pod} container={container} />
        </div>
      )}
    </>
  );
}

/** Who types here: to Bowline, and to the cluster. */
function As({ cluster, namespace }: { cluster: string; namespace: string }): ReactNode {
  const { data: me } = useWhoami();
  const { data: acting } = useQuery({
    queryKey: ["acting-as", cluster, namespace],
    queryFn: async ({ signal }) => (await readActingAs(cluster, namespace, signal)) ?? null,
    staleTime: 60_000,
  });
  if (me === undefined) return null;
  const there =
    acting === undefined || acting === null ? "" : `, in the cluster as ${acting.user} by ${acting.grant}`;
  return <span className="text-muted">as {cleanText(`${me.user}${there}`, 200)}</span>;
}

const productionLabels = ["env", "environment", "stage", "tier"];

/** Whether the labels of a cluster say that it is the one that counts. */
function useIsProduction(name: string): boolean {
  const { items } = useObjects(Cluster);
  const cluster = [...items.values()].find(({ metadata }) => metadata.name === name);
  const labels: Readonly<Record<string, string>> = cluster?.metadata.labels ?? {};
  return productionLabels.some((label) => /^prod(?:uction)?$/iu.test(labels[label] ?? ""));
}
