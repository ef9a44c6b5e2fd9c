import { useNavigate, useParams, useRouter, useSearch } from "@tanstack/react-router";
import { useMemo, type ReactNode } from "react";

import { cleanText } from "../../text/clean-text.ts";
import { PageHead } from "../../ui/page-head.tsx";
import { Empty } from "../../ui/states.tsx";
import { openLogsBelow } from "../open-below.tsx";
import { LogPanel } from "./log-panel.tsx";
import { defaultLogSettings, type LogSettings } from "./log-settings.ts";

/** Logs as a screen of their own, with all that is chosen in the address. */
export function Logs(): ReactNode {
  const { cluster } = useParams({ from: "/_in/c/$cluster/logs" });
  const { ns = "", pod, l, clusters = "", ...chosen } = useSearch({ from: "/_in/c/$cluster/logs" });
  const navigate = useNavigate();
  const router = useRouter();
  const targets = useMemo(() => {
    const all = [cluster, ...clusters.split(",").filter((name) => name !== "" && name !== cluster)];
    return all.map((name) => ({ cluster: name, namespace: ns, pod, labelSelector: l }));
  }, [cluster, clusters, ns, pod, l]);
  const settings: LogSettings = { ...defaultLogSettings, ...chosen };
  const set = (change: Partial<LogSettings>): void => {
    const kept = Object.fromEntries(
      Object.entries(change).map(([name, value]) => [name, value || undefined]),
    );
    void navigate({
      to: "/c/$cluster/logs",
      params: { cluster },
      search: (before) => ({ ...before, ...kept }),
      replace: true,
    });
  };
  const what = pod ?? l ?? "all pods";
  return (
    <>
      <PageHead title={`Logs of ${cleanText(what, 100)}`}>
        <span className="text-muted">
          {cleanText(targets.map((target) => target.cluster).join(", "), 200)} / {cleanText(ns, 100)}
        </span>
        {ns !== "" && (
          <button
            type="button"
            className="ml-auto text-accent"
            onClick={() => {
              openLogsBelow({ cluster, namespace: ns, pod, labelSelector: l, container: chosen.container });
              router.history.back();
            }}
          >
            Open below instead
          </button>
        )}
      </PageHead>
      {ns === "" ? (
        <Empty>The address names no namespace.</Empty>
      ) : (
        <LogPanel targets={targets} settings={settings} onSettings={set} />
      )}
    </>
  );
}
