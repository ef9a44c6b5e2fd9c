import { expect, it } from "vitest";
import { parsePasswd } from "./unprivileged-user.ts";

it("reads user and group ids", () => {
  const text =
    "root:x:0:0:root:/root:/bin/bash\npostgres:x:106:112:PostgreSQL:/var/lib/postgresql:/bin/bash\n\n";
  const users = parsePasswd(text);
  expect(users.get("postgres")).toEqual({ uid: 106, gid: 112 });
  expect([...users.keys()]).toEqual(["root", "postgres"]);
});
