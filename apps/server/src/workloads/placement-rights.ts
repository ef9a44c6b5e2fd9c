import type { Identity } from "@bowline/auth";

import type { ClusterClients } from "./cluster-clients.ts";
import { actingUsers, lostStatement } from "./grant-statements.ts";
import type { PlacedWork } from "./placement-work.ts";
import type { Statement } from "./resolve-workload.ts";

/** In whose name a placement is worked on, and for how long that may be. */
export class PlacementRights {
  readonly #clients: ClusterClients;

  constructor(clients: ClusterClients) {
    this.#clients = clients;
  }

  /** Returns undefined when nobody in whose name this could be done may reach the cluster now. */
  async identity(work: PlacedWork): Promise<Identity | undefined> {
    for (const user of actingUsers(work)) {
      const identity = await this.#clients.identityOf(user);
      if (identity !== undefined && this.#clients.isGranted(identity, work.cluster.metadata.name)) {
        return identity;
      }
    }
    return undefined;
  }

  /** A grant that ends by its own time changes nothing that anybody would be told of. */
  untilExpiryMs({ cluster }: PlacedWork, identity: Identity): number {
    const { name } = cluster.metadata;
    return this.#clients.isGranted(identity, name) ? this.#clients.untilExpiryMs(identity, name) : 0;
  }

  /** What is applied and could not be any more, because the grant for it is gone and another one is left. */
  lost({ placement, cluster }: PlacedWork, identity: Identity): Statement | undefined {
    const { name } = cluster.metadata;
    const { resources } = placement.status;
    return lostStatement(resources, { user: identity.user, cluster: name }, (namespace) =>
      this.#clients.reaches(identity, name, namespace),
    );
  }
}
