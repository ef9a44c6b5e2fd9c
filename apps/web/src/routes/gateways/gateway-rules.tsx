import type { Gateway } from "@bowline/api";
import type { ReactNode } from "react";

import { cleanText } from "../../text/clean-text.ts";

const modes: Readonly<Record<Gateway["spec"]["tls"]["mode"], string>> = {
  terminate: "decrypted at the entry",
  passthrough: "decrypted by the service itself",
  none: "not encrypted",
};

/** Which paths lead to which service, how connections are encrypted, and in whose name it acts. */
export function GatewayRules({ gateway: { spec, status } }: { gateway: Gateway }): ReactNode {
  const { certificate = "auto", secret, issuer } = spec.tls;
  const from = [certificate, secret, issuer].filter((part) => part !== undefined).join(" ");
  return (
    <>
      <ul aria-label="Rules" className="mb-2">
        {spec.rules.map(({ path, methods, service, port }) => (
          <li key={`${path} ${methods?.join(",")}`} className="wrap-anywhere">
            <code>{cleanText(path, 500)}</code>
            {methods !== undefined && <span className="text-muted"> {methods.join(", ")}</span>} →{" "}
            <code>{cleanText(`${service}:${port}`, 80)}</code>
          </li>
        ))}
      </ul>
      <dl className="grid grid-cols-[8rem_minmax(0,1fr)] gap-y-1">
        <Line name="Connections">{modes[spec.tls.mode]}</Line>
        {spec.tls.mode === "terminate" && <Line name="Certificate">{cleanText(from, 600)}</Line>}
        <Line name="Entry">{spec.visibility === "internal" ? "for networks of your own" : "public"}</Line>
        <Line name="Clusters">
          {spec.clusters === undefined
            ? "all that the workload is placed on"
            : cleanText(spec.clusters.join(", "), 1_000)}
        </Line>
        <Line name="Class">{cleanText(spec.class ?? "that of each cluster", 253)}</Line>
        <Line name="In the name of">{cleanText(status.author?.user ?? "nobody yet", 253)}</Line>
      </dl>
    </>
  );
}

function Line({ name, children }: { name: string; children: ReactNode }): ReactNode {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </>
  );
}
