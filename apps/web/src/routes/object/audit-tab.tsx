import type { AuditRecord } from "@bowline/api";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { failureIn } from "../../live/answers.ts";
import { request } from "../../live/request.ts";
import { cleanText } from "../../text/clean-text.ts";
import { Age } from "../../ui/age.tsx";
import { Empty, Failed, Loading } from "../../ui/states.tsx";
import type { ObjectTabProps } from "./tabs.ts";

/** Who did what to this object through Bowline, or was not allowed to. */
export function AuditTab({ place }: ObjectTabProps): ReactNode {
  const { cluster, namespace, resource, name } = place;
  const query = new URLSearchParams({
    cluster,
    ...(namespace === undefined ? {} : { namespace }),
    resource,
    object: name,
    limit: "100",
  });
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ["audit", query.toString()],
    queryFn: ({ signal }) =>
      request<{ readonly items: readonly AuditRecord[] }>(`/api/v1/audit?${query}`, { signal }),
    refetchInterval: 15_000,
  });
  const failure = failureIn(error);
  if (failure !== undefined) return <Failed failure={failure} onRetry={() => void refetch()} />;
  if (isPending) return <Loading what="the audit records" />;
  if (data === undefined || data.items.length === 0) {
    return <Empty>Nobody has done anything to it through Bowline, as far as you may see.</Empty>;
  }
  return (
    <table className="w-full text-left">
      <thead className="text-xs text-muted">
        <tr>
          {["When", "Who", "Did", "Outcome", "As", "By grant", "Request"].map((name_) => (
            <th key={name_} scope="col" className="px-4 py-1.5 font-semibold">
              {name_}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {data.items.map((record) => (
          <AuditRow key={record.id} record={record} />
        ))}
      </tbody>
    </table>
  );
}

function AuditRow({ record }: { record: AuditRecord }): ReactNode {
  const { at, actor, verb, outcome, proxy, requestId, httpStatus } = record;
  const subresource = proxy?.subresource === undefined ? "" : `/${proxy.subresource}`;
  return (
    <tr className="border-t border-border">
      <td className="px-4 py-1 whitespace-nowrap">
        <Age at={at} />
      </td>
      <td className="px-4 py-1 font-semibold">{cleanText(actor.user ?? "somebody unknown", 100)}</td>
      <td className="px-4 py-1">{cleanText(`${proxy?.verb ?? verb}${subresource}`, 100)}</td>
      <td className={`px-4 py-1 ${outcome === "allowed" ? "" : "text-degraded"}`}>
        {outcome} ({httpStatus})
      </td>
      <td className="px-4 py-1">{cleanText(proxy?.user ?? "–", 100)}</td>
      <td className="px-4 py-1">{cleanText(proxy?.grant ?? "–", 100)}</td>
      <td className="px-4 py-1 font-mono text-xs text-muted">{cleanText(requestId, 64)}</td>
    </tr>
  );
}
