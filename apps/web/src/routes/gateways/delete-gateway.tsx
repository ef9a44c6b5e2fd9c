import { Gateway } from "@bowline/api";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { cleanText } from "../../text/clean-text.ts";
import { DeleteByName } from "../delete-by-name.tsx";

/** What would go, and the name typed before it does. */
export function DeleteGateway({ gateway, onClose }: { gateway: Gateway; onClose: () => void }): ReactNode {
  const navigate = useNavigate();
  return (
    <DeleteByName
      kind={Gateway}
      object={gateway}
      action="Delete the gateway"
      onDeleted={() => void navigate({ to: "/gateways" })}
      onClose={onClose}
    >
      <p>
        Its hosts no longer lead to the workload: its routes go, then what only they have needed, and the
        object when nothing of it is left. The workload stays as it is.
      </p>
      <p className="wrap-anywhere">{cleanText(gateway.spec.hosts.join(", "), 1_000)}</p>
    </DeleteByName>
  );
}
