import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { kindParams, type KindPlace } from "../../kube/places.ts";
import { cleanText } from "../../text/clean-text.ts";

/** Where one is: the cluster, and the kind if one looks at an object of it. */
export function ClusterPath({ cluster, kind }: { cluster: string; kind?: KindPlace }): ReactNode {
  return (
    <nav aria-label="Place" className="flex items-center gap-1.5 text-xs text-muted">
      <Link to="/c/$cluster" params={{ cluster }}>
        {cleanText(cluster, 63)}
      </Link>
      <span aria-hidden="true">/</span>
      <Link to="/c/$cluster/k" params={{ cluster }}>
        kinds
      </Link>
      {kind !== undefined && (
        <>
          <span aria-hidden="true">/</span>
          <Link to="/c/$cluster/k/$group/$version/$resource" params={kindParams(kind)}>
            {cleanText(kind.resource, 100)}
          </Link>
        </>
      )}
    </nav>
  );
}
