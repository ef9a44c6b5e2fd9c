import { useNavigate } from "@tanstack/react-router";

/** The route of a table. */
export const kindRoute = "/_in/c/$cluster/k/$group/$version/$resource";

/** What of a table is in its address, so that a link shows the same; empty is as if it were not there. */
interface TableSearch {
  readonly ns?: string;
  readonly l?: string;
  readonly q?: string;
  readonly sort?: string;
  readonly desc?: boolean;
  readonly wide?: boolean;
  readonly trouble?: boolean;
}

/** Changes some of it, in place. */
export function useSetSearch(): (search: TableSearch) => void {
  const navigate = useNavigate({ from: "/c/$cluster/k/$group/$version/$resource" });
  return (search) => {
    void navigate({ to: ".", search: (before) => ({ ...before, ...search }), replace: true });
  };
}
