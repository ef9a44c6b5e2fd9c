import { DomainName } from "@bowline/api";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { cleanText } from "../../text/clean-text.ts";
import { DeleteByName } from "../delete-by-name.tsx";

interface DeleteDomainNameProps {
  readonly domain: DomainName;
  readonly onClose: () => void;
}

/** What becomes of the records, and the name typed before it does. */
export function DeleteDomainName({ domain, onClose }: DeleteDomainNameProps): ReactNode {
  const navigate = useNavigate();
  const { spec, status } = domain;
  const zone = cleanText(spec.zone ?? spec.domain, 253);
  const count = status.hosts.length === 1 ? "1 host" : `${status.hosts.length} hosts`;
  return (
    <DeleteByName
      kind={DomainName}
      object={domain}
      action="Delete the domain name"
      onDeleted={() => void navigate({ to: "/domains" })}
      onClose={onClose}
    >
      <p className="wrap-anywhere">
        {spec.deletionPolicy === "orphan"
          ? `The records of ${count} stay in ${zone} as they are, and nobody leads them elsewhere any more when a cluster is lost. The object goes at once.`
          : `The records of ${count} are removed from ${zone}, so that nobody finds these hosts any more; the object goes when no record is left.`}
      </p>
      <p>Gateways and workloads stay as they are.</p>
    </DeleteByName>
  );
}
