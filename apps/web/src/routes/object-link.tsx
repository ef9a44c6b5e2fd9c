import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { addressParams, type ObjectAddress } from "../kube/object-address.ts";

export interface ObjectLinkProps {
  readonly object: ObjectAddress;
  readonly tab?: string;
  readonly className?: string;
  readonly label?: string;
  readonly children: ReactNode;
}

/** The way to an object in a cluster. */
export function ObjectLink({ object, tab, className = "", label, children }: ObjectLinkProps): ReactNode {
  return (
    <Link
      to="/c/$cluster/o/$group/$version/$resource/$namespace/$name"
      params={addressParams(object)}
      search={tab === undefined ? {} : { tab }}
      className={className}
      aria-label={label}
    >
      {children}
    </Link>
  );
}
