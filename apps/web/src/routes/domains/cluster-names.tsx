import { Link } from "@tanstack/react-router";
import { Fragment, type ReactNode } from "react";

import { cleanText } from "../../text/clean-text.ts";

/** Clusters that records lead to, each with the way there. */
export function ClusterNames({ names }: { names: readonly string[] }): ReactNode {
  return names.map((cluster, index) => (
    <Fragment key={cluster}>
      {index > 0 && ", "}
      <Link to="/c/$cluster" params={{ cluster }} className="underline">
        {cleanText(cluster, 63)}
      </Link>
    </Fragment>
  ));
}
