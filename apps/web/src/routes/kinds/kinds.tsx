import { useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { cleanText } from "../../text/clean-text.ts";
import { PageHead } from "../../ui/page-head.tsx";
import { ClusterPath } from "./cluster-path.tsx";
import { KindNavigator } from "./kind-navigator.tsx";

/** What there is in a cluster, kind by kind. */
export function Kinds(): ReactNode {
  const { cluster } = useParams({ from: "/_in/c/$cluster/k" });
  return (
    <>
      <PageHead title={`Kinds of ${cleanText(cluster, 63)}`}>
        <ClusterPath cluster={cluster} />
      </PageHead>
      <nav aria-label="Kinds" className="columns-[14rem] overflow-auto p-4">
        <KindNavigator cluster={cluster} />
      </nav>
    </>
  );
}
