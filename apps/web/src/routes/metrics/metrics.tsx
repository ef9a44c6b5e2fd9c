import { Link, useNavigate, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { cleanText } from "../../text/clean-text.ts";
import { PageHead } from "../../ui/page-head.tsx";
import { ClusterChoice, useCluster } from "../cluster-choice.tsx";
import { Charts } from "./charts.tsx";
import { UsageTables } from "./usage-tables.tsx";

/** What a cluster uses at the moment, and charts of anything that a Prometheus in it knows. */
export function ClusterMetrics(): ReactNode {
  const { cluster } = useParams({ from: "/_in/c/$cluster/metrics" });
  const navigate = useNavigate();
  const { names } = useCluster(cluster);
  return (
    <>
      <PageHead title={`Metrics of ${cleanText(cluster, 80)}`}>
        <ClusterChoice
          value={cluster}
          names={names}
          onChange={(other) =>
            void navigate({ to: "/c/$cluster/metrics", params: { cluster: other }, search: {} })
          }
        />
        <Link to="/monitoring" search={{ cluster }}>
          Monitors
        </Link>
      </PageHead>
      <div className="min-h-0 flex-1 space-y-6 overflow-auto p-4">
        <Charts key={cluster} cluster={cluster} />
        <UsageTables key={`usage of ${cluster}`} cluster={cluster} />
      </div>
    </>
  );
}
