import { Token, User, type Role, type SpecOf } from "@bowline/api";
import type { Clock } from "@bowline/core";
import { onTestFinished } from "vitest";
import type { DatabaseOptions, Store } from "@bowline/store";
import { openTestStore } from "@bowline/store/testing";

import type { Identity } from "../authentication/identity.ts";
import { openAccess, type AccessOptions, type OpenAccess } from "../access.ts";

export interface AccessHarness {
  readonly store: Store;
  readonly access: OpenAccess;
  readonly createUser: (name: string, spec?: Partial<SpecOf<typeof User>>) => Promise<User>;
  readonly changeUser: (name: string, spec: Partial<SpecOf<typeof User>>) => Promise<void>;
  /** A token, as the API would issue it. */
  readonly createToken: (name: string, spec: SpecOf<typeof Token>) => Promise<string>;
  readonly authenticate: (secret: string) => Promise<Identity>;
}

export interface HarnessOptions extends Partial<Omit<AccessOptions, "store" | "clock">> {
  readonly clock?: Clock;
  readonly database?: DatabaseOptions;
  /** Takes the place of parts of the store that the access gets. */
  readonly storeForAccess?: (store: Store) => AccessOptions["store"];
}

/** A real store with an Access on it; both are closed when the test ends. */
export async function openTestAccess(options: HarnessOptions = {}): Promise<AccessHarness> {
  const {
    database = { type: "sqlite", file: ":memory:" },
    storeForAccess = (store) => store,
    ...rest
  } = options;
  const store = await openTestStore(
    database,
    options.clock === undefined ? {} : { clock: options.clock, pollMs: 1_000 },
  );
  const access = await openAccess({ ...rest, store: storeForAccess(store) });
  onTestFinished(() => access.close());
  return {
    store,
    access,
    async createUser(name, spec = {}) {
      const { object } = await store.objects.create(User, userNamed(name, spec));
      await access.inEffect(User, object.metadata.resourceVersion);
      return object;
    },
    async changeUser(name, spec) {
      const { object } = await store.objects.write(User, name, (current) =>
        userNamed(name, { ...current?.spec, ...spec }),
      );
      await access.inEffect(User, object.metadata.resourceVersion);
    },
    async createToken(name, spec) {
      const desired = { metadata: { name, labels: {}, annotations: {} }, spec };
      const issued = access.issue(identity("admin", "admin"), Token, desired);
      const { object } = await store.objects.create(Token, issued.desired);
      await access.inEffect(Token, object.metadata.resourceVersion);
      return String(issued.onlyInAnswer?.["secret"]);
    },
    authenticate: async (secret) => access.authenticate(`Bearer ${secret}`),
  };
}

export function identity(user: string, role: Role, more: Partial<Identity> = {}): Identity {
  return { user, role, groups: [], method: "token", token: `${user}-token`, ...more };
}

function userNamed(name: string, spec: Partial<SpecOf<typeof User>>) {
  return {
    metadata: { name, labels: {}, annotations: {} },
    spec: { role: "viewer" as const, groups: [], disabled: false, ...spec },
  };
}
